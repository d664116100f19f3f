#include "flows/activity.hpp"

#include "audit/audit.hpp"
#include "pg/database.hpp"
#include "storage/activity.hpp"
#include "storage/users.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

constexpr std::size_t max_user_agent = 255;

audit::Actor actor_of(http::Request const& req, AccountEvent const& event)
{
    auto const& caller = req.caller();
    if (caller.kind != core::Access::anonymous)
        return {.id = caller.id, .role = caller.role, .request_id = req.context.request_id};
    if (!event.user_id || event.result != succeeded)
        return {.id = "anonymous", .role = "user", .request_id = req.context.request_id};
    return {.id = event.user_id->to_string(), .role = "user", .request_id = req.context.request_id};
}

std::string subject_of(AccountEvent const& event)
{
    if (event.session_id) return event.session_id->to_string();
    return event.user_id ? event.user_id->to_string() : std::string();
}

} // namespace

void record(pg::Tx& tx, http::Request const& req, AccountEvent const& event)
{
    if (event.user_id)
        activity::insert(tx, req.scope(), *event.user_id,
            {.id = core::Uuid::v7(),
                .at = {},
                .type = std::string(event.type),
                .result = std::string(event.result),
                .ip = req.remote_address,
                .user_agent = user_agent(req)});
    boost::json::object after{{"result", event.result}};
    audit::record(tx, req.scope(), actor_of(req, event),
        {.action = std::string(event.action),
            .subject_type = event.session_id ? "session" : "user",
            .subject_id = subject_of(event),
            .before = std::nullopt,
            .after = event.after ? *event.after : boost::json::value(std::move(after))});
}

asio::awaitable<void> record_refusal(http::Request const& req, Deps& deps, std::optional<UserId> user_id,
    std::string_view reason, RefusedEvent event)
{
    co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        // An unknown user costs the same statements.
        users::lock(tx, req.scope(), user_id.value_or(UserId()));
        record(tx, req, {.user_id = user_id, .type = event.type, .result = reason, .action = event.action});
    });
}

void record_unlinked(pg::Tx& tx, http::Request const& req, UserId user_id, LinkedIdentity const& identity)
{
    record(tx, req,
        {.user_id = user_id,
            .type = "identity_unlinked",
            .action = "identity.unlinked",
            .after = boost::json::object{{"issuer", identity.issuer}}});
}

std::string user_agent(http::Request const& req)
{
    std::string text(req.header("User-Agent").value_or("").substr(0, max_user_agent));
    std::erase_if(text, [](char c) { return c < ' ' || c > '~'; });
    return text;
}

} // namespace auth_mfa
