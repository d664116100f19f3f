#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "domain/mail_text.hpp"
#include "domain/user_id.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace auth_mfa {

/// An email that waits to be sent.
struct Mail {
    core::Uuid id; ///< also the source of the mail's token (EmailTokens)
    MailKind kind = MailKind::verify_email;
    /// nullopt if the request named only an address: the worker finds the user.
    std::optional<UserId> user_id;
    std::string email;  ///< the recipient
    std::string locale; ///< a language of MailText
    /// What a notice reports: `ip`, `userAgent`, `factor`. For confirm_new_email `credentialsVersion`, the
    /// user's at the request. Other kinds have no details.
    boost::json::object details;
    std::optional<std::string> traceparent;
    core::Time created_at;
    /// Whether an earlier attempt to send the email has stored its token. If that token is gone, it was used
    /// or withdrawn, so the email must not be sent again.
    bool has_token = false;
};

} // namespace auth_mfa
