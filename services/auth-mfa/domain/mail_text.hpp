#pragma once

#include "core/clock.hpp"
#include "domain/mail_language.hpp"

#include <array>
#include <chrono>
#include <string>
#include <string_view>

namespace auth_mfa {

/// What a mail names. Line ends and other control characters become spaces, so that a value cannot add lines
/// to the text part or fields to the head.
struct MailValues {
    std::string brand; ///< of the tenant (`brand_of`)
    std::string email; ///< the account's address; for confirm_new_email and email_changed, the new address
    std::string link;  ///< URL of the page that uses the token. Notices may link to the page that resets
                       ///< passwords. If empty, the mail has no button.
    std::string token; ///< if empty, the mail has no token
    std::chrono::seconds lifetime{}; ///< of the link and the token. If zero, the mail does not name it.

    // Only notices have these.
    core::Time at;                       ///< of the event
    std::string user_agent;              ///< header `User-Agent` of the request; may be empty
    std::string ip;                      ///< of the client; may be empty
    MailFactor factor = MailFactor::sms; ///< only of factor_added and factor_removed
};

/// A mail without its envelope, in UTF-8.
struct MailText {
    std::string subject; ///< one line, not encoded
    std::string text;    ///< plain text; lines end with LF and may be long
    std::string html;    ///< a whole HTML document, which loads nothing
};

/// The languages of mails. The first is the default.
inline constexpr auto mail_locales = std::to_array<std::string_view>({"en", "de", "fr", "es", "pt", "ja"});

/// The mail in the language `locale`, or in English if `locale` is not in `mail_locales`. The text part has
/// the link on a line of its own, and the token alone on a line. The HTML part has the link as a button and
/// as text, and the token only if there is no link. Notices state the time in UTC, the browser and the
/// address of the event.
MailText render_mail(MailKind kind, std::string_view locale, MailValues const& values);

} // namespace auth_mfa
