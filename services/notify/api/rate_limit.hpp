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
struct RateLimitPolicy {
    std::string_view name; ///< in `RateLimit-Policy`; unique within the service
    std::string_view tenant_limit;
    std::int64_t count = 0;
    std::chrono::seconds window{};
};

inline constexpr RateLimitPolicy send_limit{"sends", "sendsPer5Minutes", 10, std::chrono::minutes(5)};

inline constexpr RateLimitPolicy test_limit{"tests", "testPushesPerMinute", 60, std::chrono::minutes(1)};

inline constexpr RateLimitPolicy broadcast_limit{
    "broadcasts", "broadcastsPerMinute", 10, std::chrono::minutes(1)};

/// The rate limit that applies to one request, with the tenant's own count if the tenant has one.
struct AppliedLimit {
    std::string_view policy; ///< the policy's name
    std::string subject;     ///< identifies the scope in Redis
    redis::Limit limit;
};

asio::awaitable<AppliedLimit> limit_for(http::Request const& req, Deps& deps, RateLimitPolicy const& policy);

/// Counts a request. Throws RATE_LIMITED if the limit is exceeded, and redis::Unavailable if Redis is down.
asio::awaitable<redis::Use> count_request(redis::Quota& quota, AppliedLimit const& limit);

/// Undoes the count of a request.
asio::awaitable<void> uncount_request(redis::Quota& quota, AppliedLimit const& limit, redis::Use const& use);

/// Adds the RateLimit headers, which state how much of the limit is left, to the response.
void add_headers(http::Response& response, AppliedLimit const& limit, redis::Use const& use);

/// The result of a limited operation.
struct LimitedResponse {
    http::Response response;
    bool counts = true; ///< false if the response repeats the response to an earlier request
};

/// Runs `operation` if the limit permits one more request, else throws RATE_LIMITED. Counts the request
/// before `operation` runs. Undoes the count if `operation` throws or repeats an earlier response. Otherwise
/// the response gets the RateLimit headers. Throws redis::Unavailable if Redis is down.
asio::awaitable<http::Response> within_limit(http::Request const& req, Deps& deps,
    RateLimitPolicy const& policy, asio::awaitable<LimitedResponse> operation);

} // namespace notify
