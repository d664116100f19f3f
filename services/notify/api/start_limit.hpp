#pragma once

#include "deps.hpp"
#include "http/message.hpp"
#include "redis/quota.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace notify {

/// How often a scope may start something: at most `count` times in any span of length `window`. A tenant's
/// own limit of that name takes the count's place.
struct StartLimit {
    std::string_view policy; ///< as `RateLimit-Policy` names it; unique within the service
    std::string_view tenant_limit;
    std::int64_t count = 0;
    std::chrono::seconds window{};
};

inline constexpr StartLimit send_limit{"sends", "sendsPer5Minutes", 10, std::chrono::minutes(5)};

inline constexpr StartLimit test_limit{"tests", "testPushesPerMinute", 60, std::chrono::minutes(1)};

inline constexpr StartLimit broadcast_limit{"broadcasts", "broadcastsPerMinute", 10, std::chrono::minutes(1)};

/// A scope's share of a limit, as it stands when a request begins.
struct Share {
    StartLimit policy;
    std::string subject;
    redis::Limit limit;
};

asio::awaitable<Share> share_of(http::Request const& req, Deps& deps, StartLimit const& limit);

/// A start that is counted.
struct Counted {
    redis::Use use;
    redis::Decision decision;
};

/// Counts a start. Throws RATE_LIMITED when that is one too many, redis::Unavailable
/// when it cannot be known.
asio::awaitable<Counted> count_start(redis::Quota& quota, Share const& share);

/// Makes it one that never was.
asio::awaitable<void> uncount(redis::Quota& quota, Share const& share, Counted const& counted);

/// Has the answer say how much of the limit is left.
void tell(http::Response& response, Share const& share, Counted const& counted);

/// How a start ended.
struct Started {
    http::Response response;
    bool counts = true; ///< false: it was the answer to an earlier one, given again
};

/// The answer of `start`, begun only when the limit allows one more; else RATE_LIMITED. A start that counts
/// is counted before it begins; one that throws was none, and what it took is given back. The answer says how
/// much of the limit is left. Throws redis::Unavailable when the limit cannot be checked.
asio::awaitable<http::Response> within_limit(
    http::Request const& req, Deps& deps, StartLimit const& limit, asio::awaitable<Started> start);

} // namespace notify
