#include "flows/account_events.hpp"

#include "core/json_writer.hpp"
#include "domain/json.hpp"
#include "flows/activity.hpp"
#include "flows/mail_requests.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa {

namespace {

void publish(pg::Tx& tx, http::Request const& req, std::string_view type, UserId user_id,
    std::string const& data, core::Time at)
{
    outbound_webhooks::publish(
        tx, req.context, {.type = type, .data_json = data, .at = at, .user_id = user_id.to_string()});
}

} // namespace

void begin_account_change(pg::Tx& tx, http::Request const& req)
{
    pg::lock_scope(tx, req.scope().id);
}

void publish_user(pg::Tx& tx, http::Request const& req, std::string_view type, User const& user)
{
    publish(tx, req, type, user.id, to_json(user), user.updated_at);
}

void record_created(pg::Tx& tx, http::Request const& req, User const& user)
{
    publish_user(tx, req, "user.created", user);
    record(tx, req,
        {.user_id = user.id,
            .type = "account_created",
            .action = "user.created",
            .after =
                boost::json::object{{"role", to_string(user.role)}, {"status", to_string(user.status)}}});
}

void publish_session(pg::Tx& tx, http::Request const& req, sessions::NewSession const& session)
{
    core::JsonWriter w;
    w.begin_object()
        .member("sessionId", session.id.to_string())
        .member("userId", session.user_id.to_string())
        .member("amr", session.amr)
        .member("acr", session.aal2 ? "aal2" : "aal1")
        .member("createdAt", session.now)
        .end_object();
    publish(tx, req, "session.created", session.user_id, std::move(w).str(), session.now);
}

void announce_factor(pg::Tx& tx, http::Request const& req, FactorChange const& change, User const& user,
    std::string_view factor, AccountRules const& rules, core::Time now)
{
    core::JsonWriter w;
    w.begin_object().member("userId", user.id.to_string()).member("factor", factor).end_object();
    publish(tx, req, change.event, user.id, std::move(w).str(), now);
    if (rules.security_emails) mail_notice(tx, req, change.notice, user, factor);
    record(tx, req,
        {.user_id = user.id,
            .type = change.activity,
            .action = change.action,
            .after = boost::json::object{{"factor", factor}}});
}

void announce_no_factors(
    pg::Tx& tx, http::Request const& req, User const& user, AccountRules const& rules, core::Time now)
{
    if (user.phone_verified) announce_factor(tx, req, factor_removed, user, "sms", rules, now);
    if (user.totp) announce_factor(tx, req, factor_removed, user, "totp", rules, now);
    if (user.passkey) announce_factor(tx, req, factor_removed, user, "passkey", rules, now);
}

asio::awaitable<AccountRules> account_rules(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    co_return account_rules_of(*tenant, req.scope().environment());
}

} // namespace auth_mfa
