#pragma once

#include "deps.hpp"
#include "http/message.hpp"

#include <chrono>
#include <cstdint>
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
