#include "api/features.hpp"

#include "api/user_id.hpp"
#include "batchers.hpp"
#include "core/json_writer.hpp"
#include "pg/database.hpp"
#include "storage/entitlements.hpp"

namespace billing {

asio::awaitable<http::Response> check_feature(http::Request const& req, Deps& deps)
{
    entitlements::FeatureQuery const query{
        req.scope().id, user_id_of(req), req.param("feature"), deps.clock.now()};
    auto feature = co_await deps.batchers.feature.run(query);
    if (!feature)
        feature =
            co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return entitlements::feature(tx, query); });
    core::JsonWriter w(64);
    w.begin_object().member("granted", feature->granted).member("until", feature->until).end_object();
    co_return http::Response::ok(std::move(w).str());
}

} // namespace billing
