#include "api/features.hpp"

#include "api/access_settings.hpp"
#include "api/user_id.hpp"
#include "batchers.hpp"
#include "core/json_writer.hpp"
#include "domain/entitlement_view.hpp"
#include "pg/database.hpp"
#include "storage/entitlements.hpp"

#include <utility>

namespace billing {

namespace {

asio::awaitable<http::Response> check(http::Request const& req, Deps& deps, core::UserId user_id)
{
    auto const settings = co_await access_settings_of(req, deps);
    entitlements::FeatureQuery const query{.scope_id = req.scope().id,
        .user_id = std::move(user_id),
        .feature = req.param("feature"),
        .now = deps.clock.now(),
        .settings = settings};
    auto feature = co_await deps.batchers.feature.run(query);
    if (!feature)
        feature =
            co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return entitlements::feature(tx, query); });
    core::JsonWriter w(64);
    w.begin_object()
        .member("granted", feature->granted)
        .member("until", shown_end(feature->until))
        .end_object();
    co_return http::Response::ok(std::move(w).str());
}

} // namespace

asio::awaitable<http::Response> check_feature(http::Request const& req, Deps& deps)
{
    co_return co_await check(req, deps, readable_user_id_of(req));
}

asio::awaitable<http::Response> check_my_feature(http::Request const& req, Deps& deps)
{
    co_return co_await check(req, deps, core::UserId(req.caller().id));
}

} // namespace billing
