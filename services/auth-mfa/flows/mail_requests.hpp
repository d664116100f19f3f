#pragma once

#include "deps.hpp"
#include "domain/mail.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <string>
#include <string_view>

/// Emails that a request causes. `request_mail` stores the email in a transaction of its own, the other
/// functions in the caller's. A worker sends it after the commit, in the language that the request accepts.
namespace auth_mfa {

/// An email to `user` at the account's address: a link with a token, or a notice without details. Returns its
/// id, from which its token is made.
core::Uuid mail_user(pg::Tx& tx, http::Request const& req, MailKind kind, User const& user);

/// As `mail_user`, to another address.
core::Uuid mail_user_at(
    pg::Tx& tx, http::Request const& req, MailKind kind, User const& user, std::string_view email);

/// An email to the account with this address, if there is one when the worker runs. The request does not look
/// the account up, so it takes the same time for every address. At most 3 emails of a kind an hour go to one
/// address; further requests have no effect. Throws RATE_LIMITED if the client's network requests too many.
asio::awaitable<void> request_mail(
    http::Request const& req, Deps& deps, MailKind kind, std::string const& email);

/// A security notice to `user`. It reports the client's address and browser, and `factor` for a notice about
/// a factor. Call it only if the setting `securityEmails` is on.
void mail_notice(
    pg::Tx& tx, http::Request const& req, MailKind kind, User const& user, std::string_view factor = {});

} // namespace auth_mfa
