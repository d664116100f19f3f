#include "api/features.hpp"

#include "api/user_id.hpp"
#include "core/json_writer.hpp"

namespace billing {

asio::awaitable<http::Response> check_feature(http::Request const& req, Deps& deps)
{
    auto const feature = co_await deps.hot.feature.run(
        {req.scope().id, user_id_of(req), req.param("feature"), deps.clock.now()});
    core::JsonWriter w(64);
    w.begin_object().member("granted", feature.granted).member("until", feature.until).end_object();
    co_return http::Response::ok(std::move(w).str());
}

} // namespace billing
