#pragma once

#include "deps.hpp"
#include "http/message.hpp"
#include "redis/quota.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace notify {

/// A sliding-window rate limit of a scope: at most `count` requests in any period of length `window`. If the
/// tenant has a limit of its own named `tenant_limit`, that limit replaces `count`.
struct StartLimit {
    std::string_view policy; ///< name in `RateLimit-Policy`; unique within the service
    std::string_view tenant_limit;
    std::int64_t count = 0;
    std::chrono::seconds window{};
};

inline constexpr StartLimit send_limit{"sends", "sendsPer5Minutes", 10, std::chrono::minutes(5)};

inline constexpr StartLimit test_limit{"tests", "testPushesPerMinute", 60, std::chrono::minutes(1)};

inline constexpr StartLimit broadcast_limit{"broadcasts", "broadcastsPerMinute", 10, std::chrono::minutes(1)};

/// The rate limit that applies to one request, with the tenant's own count if the tenant has one.
struct Share {
    StartLimit policy;
    std::string subject;
    redis::Limit limit;
};

asio::awaitable<Share> share_of(http::Request const& req, Deps& deps, StartLimit const& limit);

/// A counted request.
struct Counted {
    redis::Use use;
    redis::Decision decision;
};

/// Counts a request. Throws RATE_LIMITED if the limit is exceeded, and redis::Unavailable if Redis is down.
asio::awaitable<Counted> count_start(redis::Quota& quota, Share const& share);

/// Undoes the count of a request.
asio::awaitable<void> uncount(redis::Quota& quota, Share const& share, Counted const& counted);

/// Adds the RateLimit headers, which state how much of the limit is left, to the response.
void tell(http::Response& response, Share const& share, Counted const& counted);

/// The result of a limited operation.
struct Started {
    http::Response response;
    bool counts = true; ///< false if the response repeats the response to an earlier request
};

/// Runs `start` if the limit permits one more request, else throws RATE_LIMITED. Counts the request before
/// `start` runs. Undoes the count if `start` throws or repeats an earlier response. Otherwise the response
/// gets the RateLimit headers. Throws redis::Unavailable if Redis is down.
asio::awaitable<http::Response> within_limit(
    http::Request const& req, Deps& deps, StartLimit const& limit, asio::awaitable<Started> start);

} // namespace notify
