#include "flows/mail_requests.hpp"

#include "batchers.hpp"
#include "domain/locale.hpp"
#include "domain/mail_text.hpp"
#include "flows/activity.hpp"
#include "state/rate_limits.hpp"
#include "storage/mails.hpp"

namespace auth_mfa {

namespace {

Mail mail_of(http::Request const& req, MailKind kind, std::string_view email)
{
    return {.id = core::Uuid::v7(),
        .kind = kind,
        .user_id = std::nullopt,
        .email = std::string(email),
        .locale = std::string(choose_locale(mail_locales, req.header("Accept-Language").value_or(""))),
        .details = {},
        .traceparent = req.context.traceparent,
        .created_at = {}};
}

} // namespace

core::Uuid mail_user(pg::Tx& tx, http::Request const& req, MailKind kind, User const& user)
{
    return mail_user_at(tx, req, kind, user, user.email);
}

core::Uuid mail_user_at(
    pg::Tx& tx, http::Request const& req, MailKind kind, User const& user, std::string_view email)
{
    Mail mail = mail_of(req, kind, email);
    mail.user_id = user.id;
    if (kind == MailKind::confirm_new_email)
        mail.details = {{"credentialsVersion", user.credentials_version}};
    mails::enqueue(tx, req.scope(), mail);
    return mail.id;
}

asio::awaitable<void> request_mail(
    http::Request const& req, Deps& deps, MailKind kind, std::string const& email)
{
    auto& limits = deps.rate_limits;
    auto const from_network = co_await limits.require(
        {RateLimits::mails_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    auto const to_account =
        co_await limits.reserve({RateLimits::mails_to(req.scope(), email, to_string(kind))});
    if (!to_account.allowed) co_return;
    co_await limits.or_give_back(
        to_account, deps.batchers.request_mail.run({req.scope().id, mail_of(req, kind, email)}));
}

void mail_notice(
    pg::Tx& tx, http::Request const& req, MailKind kind, User const& user, std::string_view factor)
{
    Mail mail = mail_of(req, kind, user.email);
    mail.user_id = user.id;
    mail.details = {{"ip", req.remote_address}, {"userAgent", user_agent(req)}};
    if (!factor.empty()) mail.details["factor"] = factor;
    mails::enqueue(tx, req.scope(), mail);
}

} // namespace auth_mfa
