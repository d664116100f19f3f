#include "api/email_verification.hpp"

#include "api/credentials.hpp"
#include "core/text.hpp"
#include "domain/errors.hpp"
#include "flows/account_events.hpp"
#include "flows/activity.hpp"
#include "flows/email_tokens.hpp"
#include "flows/mail_requests.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

asio::awaitable<http::Response> request_verification(http::Request const& req, Deps& deps)
{
    std::string const email =
        req.caller().is_jwt() ? (co_await signed_in_user(req, deps)).email : parse_email(req);
    co_await request_mail(req, deps, MailKind::verify_email, email);
    co_return http::Response{.status = 202, .body = "{}"};
}

asio::awaitable<http::Response> verify_email(http::Request const& req, Deps& deps)
{
    EmailToken const token = co_await require_token(req, deps, parse_token(req), TokenPurpose::verify_email);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User user = use_token(tx, req, token);
        if (core::lower(user.email) != core::lower(token.email)) throw token_expired();
        if (users::set_verified(tx, req.scope(), user.id, token.email)) {
            publish_user(tx, req, "user.updated", users::find(tx, req.scope(), user.id).value());
            record(tx, req, {.user_id = user.id, .type = "email_verified", .action = "user.email_verified"});
        }
        return http::Response::ok(R"({"emailVerified":true})");
    });
}

} // namespace auth_mfa
