#pragma once

#include "redis/client.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redis {

/// At most `count` in any span of length `window`.
struct Limit {
    std::int64_t count = 0;             ///< 0 or less allows none; more than 1,000,000 is held to that
    std::chrono::milliseconds window{}; ///< at least 1 ms
};

/// What became of one request.
struct Decision {
    bool allowed = false;
    std::int64_t limit = 0;
    std::int64_t remaining = 0; ///< how many more would be allowed right now
    std::chrono::milliseconds window{};
    std::chrono::milliseconds retry_after{}; ///< until one would be allowed; 0 when `allowed`
    std::chrono::milliseconds reset{};       ///< until the oldest counted request leaves the window
};

/// An exact sliding window, shared by all replicas: never more than `count` in any `window`, never fewer than
/// that refused. One Lua script keeps the times of the requests that were allowed; Redis' own clock is the
/// only clock. A refused request is not counted. Costs about 11 bytes of Redis for each request within the
/// window.
class RateLimiter {
public:
    /// Keys are `<service>:rl:{<subject>}:<window in ms>`. `client` outlives this object.
    RateLimiter(Client& client, std::string service);

    /// Counts one request of `subject` (`42:user:7c…`: unique within the service; start it with the scope's
    /// id) if the limit allows it. Throws Unavailable; whether a limit that cannot be checked is waived is
    /// the caller's choice.
    asio::awaitable<Decision> take(std::string_view subject, Limit limit);

private:
    std::string key(std::string_view subject, Limit limit) const;

    Client& client_;
    std::string service_;
    Script script_;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

/// `RateLimit-Policy: "default";q=600;w=60` and `RateLimit: "default";r=599;t=12`
/// (draft-ietf-httpapi-ratelimit-headers-09).
Headers limit_headers(Decision const& decision, std::string_view policy = "default");

/// The same, and `Retry-After` when refused: seconds, rounded up, at least 1.
Headers headers(Decision const& decision, std::string_view policy = "default");

} // namespace redis
