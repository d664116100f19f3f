#include "flows/refresh.hpp"

#include "audit/audit.hpp"
#include "batchers.hpp"
#include "domain/settings.hpp"
#include "pg/database.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa {

namespace {

void record_reuse(pg::Tx& tx, http::Request const& req, Session const& session)
{
    audit::record(tx, req.scope(), {.id = "system:sessions", .request_id = req.context.request_id},
        {.action = "session.reuse_detected",
            .subject_type = "user",
            .subject_id = session.user_id.to_string(),
            .before = {},
            .after = boost::json::object{{"sessionId", session.id.to_string()}}});
}

/// Handles a refresh token with which the session could not be rotated. Returns the contents of the next
/// tokens; nullopt if the token is refused.
std::optional<sessions::TokenContents> retry_or_refuse(pg::Tx& tx, http::Request const& req,
    RefreshToken const& token, std::string_view client_id, core::Time now)
{
    auto const locked = sessions::lock(tx, req.scope(), token.session_id);
    if (!locked || locked->session.client_id != client_id) return std::nullopt;
    Session const& session = locked->session;
    switch (check_refresh(session, token.generation, now, locked->database_now)) {
    case Refresh::current:
    case Refresh::retry:
        return sessions::token_contents(tx, req.scope(), session.id);
    case Refresh::reused:
        sessions::end(tx, req.scope(), session.id, now);
        record_reuse(tx, req, session);
        return std::nullopt;
    case Refresh::refused:
        break;
    }
    return std::nullopt;
}

} // namespace

asio::awaitable<std::variant<sessions::TokenContents, RefusedRefresh>> refresh_session(
    http::Request const& req, Deps& deps, RefreshToken const& token, std::string client_id)
{
    core::Time const now = deps.clock.now();
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    auto const environment = req.scope().environment();
    bool const verified_only = account_rules_of(*tenant, environment).verified_only;
    auto contents = co_await deps.batchers.rotate.run(
        {req.scope().id, token.session_id, token.generation, now, verified_only, client_id});
    if (!contents) {
        contents = co_await deps.db.transact(
            req.scope(), [&](pg::Tx& tx) { return retry_or_refuse(tx, req, token, client_id, now); });
    }
    if (!contents) co_return RefusedRefresh::invalid;
    if (!trusts(*tenant, environment, contents->identity_provider)) {
        co_await deps.db.transact(
            req.scope(), [&](pg::Tx& tx) { sessions::end(tx, req.scope(), contents->session_id, now); });
        co_return RefusedRefresh::invalid;
    }
    if (verified_only && !contents->email_verified) co_return RefusedRefresh::email_not_verified;
    co_return *std::move(contents);
}

} // namespace auth_mfa
