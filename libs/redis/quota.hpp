#pragma once

#include "redis/client.hpp"
#include "redis/rate_limit.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace redis {

/// What became of one attempt to use a quota.
struct Use {
    bool allowed = false;
    std::chrono::milliseconds retry_after{}; ///< until one would be allowed; 0 when `allowed`
    std::string id;                          ///< for `give_back`; empty unless allowed

    std::int64_t remaining = 0;        ///< how many more the first of the limits would allow right now
    std::chrono::milliseconds reset{}; ///< until the oldest use that it counts leaves its window
};

/// Exact sliding windows as RateLimiter has them, for uses that turn out not to count: several limits hold
/// together, and a use can be given back. Redis' clock is the only clock (see ClientOptions::script_clock for
/// tests). Costs some 80 bytes for each use within the longest window, so it is for small counts.
class Quota {
public:
    /// Keys are `<prefix>:{<subject>}:<name>`. `client` outlives this object.
    Quota(Client& client, std::string prefix);

    /// Counts one use if every limit allows it, all or none, before the caller acts on it. Throws
    /// Unavailable. `limits` is not empty and lives until this is awaited.
    asio::awaitable<Use> take(std::string_view subject, std::string_view name, std::span<Limit const> limits);

    /// One thing of a subject that is counted, and by what.
    struct Count {
        std::string_view name;
        std::span<Limit const> limits; ///< not empty
    };

    /// The same over several counts of a subject, in one round trip: one use of each, or of none. What `Use`
    /// says of remaining ones is the first count's. `counts`, and what they refer to, live until this is
    /// awaited.
    asio::awaitable<Use> take(std::string_view subject, std::span<Count const> counts);

    /// Makes `use` (which was allowed) one that never was. A use that cannot be given back because Redis is
    /// away stays counted.
    asio::awaitable<void> give_back(std::string_view subject, std::string_view name, Use const& use);

    /// The same for a use of several counts, by their names.
    asio::awaitable<void> give_back(
        std::string_view subject, std::span<std::string const> counts, Use const& use);

private:
    std::string key(std::string_view subject, std::string_view name) const;

    Client& client_;
    std::string prefix_;
    Script take_, give_back_;
};

} // namespace redis
