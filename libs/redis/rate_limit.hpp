#pragma once

#include "redis/client.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redis {

/// At most `count` requests in any time span of length `window`.
struct Limit {
    std::int64_t count = 0;             ///< 0 or less allows none; values above 1,000,000 mean 1,000,000
    std::chrono::milliseconds window{}; ///< at least 1 ms
};

/// The result for one request or use.
struct Decision {
    bool allowed = false;
    std::int64_t limit = 0;
    std::int64_t remaining = 0; ///< number of further requests that are allowed now
    std::chrono::milliseconds window{};
    std::chrono::milliseconds retry_after{}; ///< time until a request would be allowed; 0 if `allowed`
    std::chrono::milliseconds reset{};       ///< time until the oldest counted request leaves the window
};

/// An exact sliding window that all replicas share: a request is refused if and only if `count` requests were
/// allowed in the last `window`. A Lua script keeps the times of allowed requests by Redis' own clock.
/// Refused requests are not counted. Each allowed request within the window costs about 11 bytes of Redis
/// memory, so it suits large counts. A counted request stays counted; see Quota (quota.hpp) for uses that can
/// be undone, and for several limits at once.
class RateLimiter {
public:
    /// Keys are `<service>:rl:{<subject>}:<window in ms>`. `client` must outlive this object.
    RateLimiter(Client& client, std::string service);

    /// Counts one request of `subject` if the limit allows it. `subject` (`42:user:7c…`) must be unique
    /// within the service and start with the scope's id. Throws Unavailable. The caller then decides whether
    /// to allow the request although its limit cannot be checked.
    asio::awaitable<Decision> take(std::string_view subject, Limit limit);

    /// Deletes the count of `subject` in the window. Throws Unavailable.
    asio::awaitable<void> forget(std::string_view subject, std::chrono::milliseconds window);

private:
    std::string key(std::string_view subject, std::chrono::milliseconds window) const;

    Client& client_;
    std::string service_;
    Script script_;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

/// Returns the header fields of draft-ietf-httpapi-ratelimit-headers-09, such as `RateLimit-Policy:
/// "default";q=600;w=60` and `RateLimit: "default";r=599;t=12`.
Headers limit_headers(Decision const& decision, std::string_view policy = "default");

/// As `limit_headers`. If the request was refused, also returns `Retry-After` in seconds, rounded up, at
/// least 1.
Headers headers(Decision const& decision, std::string_view policy = "default");

} // namespace redis
