#include "api/entitlements.hpp"

#include "api/user_id.hpp"
#include "batchers.hpp"
#include "core/json_writer.hpp"
#include "domain/entitlement_view.hpp"
#include "domain/history.hpp"
#include "http/query.hpp"
#include "pg/database.hpp"
#include "storage/entitlements.hpp"
#include "storage/event_archive.hpp"
#include "storage/settings.hpp"

namespace billing {

namespace {

http::Response answer(http::Request const& req, core::UserId const& user_id,
    std::vector<EntitlementView> const& rows, core::Time now)
{
    core::JsonWriter w(64 + 640 * rows.size());
    w.begin_object().member("userId", user_id).key("entitlements").begin_array();
    for (auto const& view : rows)
        write_entitlement(w, view, req.scope().environment(), now);
    w.end_array().end_object();
    return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> answer_now(http::Request const& req, Deps& deps, core::UserId const& user_id)
{
    auto rows = co_await deps.batchers.of_user.run({req.scope().id, user_id});
    if (!rows)
        rows = co_await deps.db.read(
            req.scope(), [&](pg::Tx& tx) { return entitlements::of_user(tx, req.scope(), user_id); });
    co_return answer(req, user_id, *rows, deps.clock.now());
}

std::vector<EntitlementView> as_of(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, core::Time at)
{
    auto const payment_settings = settings::read_payment_settings(tx, scope);
    std::vector<Entitlement> now;
    for (auto& view : entitlements::of_user(tx, scope, user_id))
        now.push_back(std::move(view.entitlement));
    auto const events = event_archive::history_of_user(tx, scope.id, user_id, at);
    auto const folded = entitlements_after(scope.id, user_id, events, payment_settings);
    return entitlements::join_catalog(tx, scope, entitlements_as_of(at, now, folded));
}

} // namespace

asio::awaitable<http::Response> list_entitlements(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    core::UserId const user_id(query.required_text("userId", 1, max_user_id));
    query.check();
    co_return co_await answer_now(req, deps, user_id);
}

asio::awaitable<http::Response> get_user_entitlements(http::Request const& req, Deps& deps)
{
    auto const user_id = user_id_of(req);
    http::Query query(req);
    auto const at = query.time("at");
    query.check();
    if (!at) co_return co_await answer_now(req, deps, user_id);
    auto const rows = co_await deps.db.read(pg::Scopes::of_tenant(req.scope().tenant_id()),
        [&](pg::Tx& tx) { return as_of(tx, req.scope(), user_id, *at); });
    co_return answer(req, user_id, rows, *at);
}

} // namespace billing
