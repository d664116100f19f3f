#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "domain/text_template.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace auth_mfa {

using core::to_string;

/// The occasions of mails to users.
enum class MailKind : std::uint8_t {
    verify_email,      ///< to an address that is not verified: after registration and on request
    reset_password,    ///< on request of a user who forgot the password
    confirm_new_email, ///< to the new address, before a change of the address
    email_changed,     ///< notice to the old address; its link undoes the change
    invitation,        ///< to a member that a backend or an owner has created
    new_sign_in,       ///< notice: a sign-in with a browser that was not used before
    password_changed,  ///< notice
    factor_added,      ///< notice
    factor_removed,    ///< notice
    identity_linked    ///< notice: an account at an identity provider can be used to sign in
};

constexpr auto enum_names(MailKind)
{
    return std::to_array<std::string_view>(
        {"verify_email", "reset_password", "confirm_new_email", "email_changed", "invitation", "new_sign_in",
            "password_changed", "factor_added", "factor_removed", "identity_linked"});
}

/// The factors that mails name.
enum class MailFactor : std::uint8_t { sms, totp, passkey };

constexpr auto enum_names(MailFactor)
{
    return std::to_array<std::string_view>({"sms", "totp", "passkey"});
}

/// The texts of all mails in one language, parsed once.
class MailLanguage {
public:
    /// Parses a file of `mails/messages/`. Throws std::invalid_argument that lists all faults: invalid JSON,
    /// missing and unknown texts, and texts with unknown placeholders.
    explicit MailLanguage(std::string_view json);

    /// The text with this key, such as `verify_email.subject`, with `values` as they are. Throws
    /// std::out_of_range if there is no such text, or if a placeholder has no value.
    std::string text(std::string_view key, TemplateValues const& values = {}) const;

    /// A time in UTC, to the minute: `31 January 2026, 14:05 UTC`.
    std::string date(core::Time time) const;

    /// A time span of at least a minute in its largest whole unit: `3 days`, `36 hours`, `30 minutes`. Parts
    /// of a minute are left out.
    std::string span(std::chrono::seconds span) const;

private:
    std::map<std::string, TextTemplate, std::less<>> texts_;
};

} // namespace auth_mfa
