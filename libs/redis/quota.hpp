#pragma once

#include "redis/client.hpp"
#include "redis/rate_limit.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace redis {

/// The result of one call of `take`.
struct Use {
    bool allowed = false;
    std::chrono::milliseconds retry_after{}; ///< until a use would be allowed; 0 if `allowed`
    std::string id;                          ///< for `give_back`; empty unless `allowed`

    std::int64_t remaining = 0;        ///< number of further uses that the first limit allows now
    std::chrono::milliseconds reset{}; ///< until the oldest use counted by the first limit leaves its window
};

/// Exact sliding windows like those of RateLimiter, for uses that can be undone (`give_back`). Several limits
/// apply together. Only Redis' clock is used (see ClientOptions::script_clock for tests). Each use within the
/// longest window costs about 80 bytes of Redis memory, so Quota is for small counts.
class Quota {
public:
    /// Keys are `<prefix>:{<subject>}:<name>`. `client` must outlive this object.
    Quota(Client& client, std::string prefix);

    /// Counts one use in all limits if every limit allows it, otherwise in none. Call it before the action.
    /// Throws Unavailable. `limits` must not be empty and must stay valid until this is awaited.
    asio::awaitable<Use> take(std::string_view subject, std::string_view name, std::span<Limit const> limits);

    /// A named count of a subject, and its limits.
    struct Count {
        std::string_view name;
        std::span<Limit const> limits; ///< not empty
    };

    /// As above, for several counts of a subject in one round trip. Adds one use to each count, or to none.
    /// `Use::remaining` and `Use::reset` are those of the first count. `counts` and the objects it refers to
    /// must stay valid until this is awaited.
    asio::awaitable<Use> take(std::string_view subject, std::span<Count const> counts);

    /// Undoes `use`, which must have been allowed. If Redis is down, the use stays counted.
    asio::awaitable<void> give_back(std::string_view subject, std::string_view name, Use const& use);

    /// As above, for a use of several counts, by their names.
    asio::awaitable<void> give_back(
        std::string_view subject, std::span<std::string const> counts, Use const& use);

private:
    std::string key(std::string_view subject, std::string_view name) const;

    Client& client_;
    std::string prefix_;
    Script take_, give_back_;
};

} // namespace redis
