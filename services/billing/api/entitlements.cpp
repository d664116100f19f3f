#include "api/entitlements.hpp"

#include "api/access_settings.hpp"
#include "api/user_id.hpp"
#include "batchers.hpp"
#include "core/json_writer.hpp"
#include "domain/entitlement_view.hpp"
#include "domain/history.hpp"
#include "http/query.hpp"
#include "pg/database.hpp"
#include "storage/entitlements.hpp"
#include "storage/event_archive.hpp"
#include "storage/event_history.hpp"
#include "storage/products.hpp"
#include "storage/subscriptions.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace billing {

namespace {

constexpr std::size_t usual_entitlement = 900; ///< typical size of an entitlement in characters

http::Response answer(http::Request const& req, core::UserId const& user_id,
    std::vector<EntitlementView> const& rows, AccessSettings const& settings, core::Time now)
{
    core::JsonWriter w(64 + usual_entitlement * rows.size());
    w.begin_object().member("userId", user_id).key("entitlements").begin_array();
    for (auto const& view : rows)
        write_entitlement(w, view, req.scope().environment(), settings, now);
    w.end_array().end_object();
    return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> answer_now(http::Request const& req, Deps& deps, core::UserId const& user_id)
{
    auto const settings = co_await access_settings_of(req, deps);
    auto rows = co_await deps.batchers.of_user.run({req.scope().id, user_id});
    if (!rows)
        rows = co_await deps.db.read(
            req.scope(), [&](pg::Tx& tx) { return entitlements::of_user(tx, req.scope(), user_id); });
    co_return answer(req, user_id, *rows, settings, deps.clock.now());
}

/// The provider's product ids of the checkouts among `events`, by the id that the checkout names.
std::map<std::string, std::string> checkout_products(
    pg::Tx& tx, core::TenantId tenant_id, std::span<Event const> events)
{
    std::map<std::string, std::string> found;
    for (auto const& event : events) {
        auto const* checkout = std::get_if<CheckoutEvent>(&event.data);
        if (checkout == nullptr || found.contains(checkout->product)) continue;
        auto const product = products::find(tx, tenant_id, checkout->product);
        if (product && product->kind != products::Kind::subscription)
            found.emplace(checkout->product, product->provider_product_id);
    }
    return found;
}

/// What is stored now of the user and of the events in the user's history.
Known known_of(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::span<Event const> events)
{
    Known known{.entitlements = {},
        .subscriptions = subscriptions::about_user(tx, scope.id, user_id),
        .checkout_products = checkout_products(tx, scope.tenant_id(), events)};
    for (auto const source : {Source::purchases, Source::payments, Source::manual})
        std::ranges::move(
            entitlements::of_source(tx, scope.id, user_id, source), std::back_inserter(known.entitlements));
    return known;
}

/// The entitlements of a user at time `at`, under the settings of that time. `current`: those of now.
http::Response answer_as_of(pg::Tx& tx, http::Request const& req, core::UserId const& user_id, core::Time at,
    AccessSettings const& current)
{
    auto const& scope = req.scope();
    auto const settings = event_history::settings_at(tx, scope.id, at).value_or(current);
    auto const events = event_history::of_user(tx, scope.id, user_id, at);
    auto const known = known_of(tx, scope, user_id, events);
    auto rows = entitlements_as_of(scope.id, user_id, at, events, known);
    return answer(req, user_id, entitlements::join_catalog(tx, scope, std::move(rows)), settings, at);
}

/// The entitlements of a user now, or at the time in the query.
asio::awaitable<http::Response> answer_query(http::Request const& req, Deps& deps, core::UserId user_id)
{
    http::Query query(req);
    auto const at = query.time("at");
    query.check();
    if (!at) co_return co_await answer_now(req, deps, user_id);
    auto const settings = co_await access_settings_of(req, deps);
    co_return co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return answer_as_of(tx, req, user_id, *at, settings); });
}

} // namespace

bool reads_history(http::Request const& req)
{
    http::Query query(req);
    return query.time("at").has_value();
}

asio::awaitable<http::Response> list_entitlements(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    core::UserId const user_id(query.required_text("userId", 1, max_user_id));
    query.check();
    co_return co_await answer_now(req, deps, user_id);
}

asio::awaitable<http::Response> get_user_entitlements(http::Request const& req, Deps& deps)
{
    co_return co_await answer_query(req, deps, readable_user_id_of(req));
}

asio::awaitable<http::Response> get_my_entitlements(http::Request const& req, Deps& deps)
{
    co_return co_await answer_query(req, deps, core::UserId(req.caller().id));
}

} // namespace billing
