#pragma once

#include "domain/thread_mail.hpp"

#include <string>

namespace feedback {

/// The values of an email that do not come from the thread.
struct MailValues {
    std::string brand;       ///< the tenant's display name
    std::string link;        ///< URL of the thread's page on the board; empty: the email has no link
    std::string unsubscribe; ///< URL of the page that ends the recipient's emails; empty for `notifyEmail`
};

/// The texts of an email, in UTF-8.
struct MailText {
    /// One line. Equal for all emails of a thread, so that mail programs show them together.
    std::string subject;
    std::string text; ///< plain text; lines end with LF and may be long
    std::string html; ///< a whole HTML document, which loads nothing
};

/// The email `mail` with these changes. An email to a user names staff as `the team`, and contains no other
/// address or id of a person.
MailText render_mail(ThreadMail const& mail, MailChanges const& changes, MailValues const& values);

} // namespace feedback
