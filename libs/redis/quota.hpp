#pragma once

#include "redis/client.hpp"
#include "redis/rate_limit.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace redis {

/// The result of one call of `take`. `limit`, `remaining`, `window` and `reset` describe the first limit.
/// `retry_after` is the time until all limits would allow a use.
struct Use : Decision {
    std::string id;             ///< for `give_back`; empty unless `allowed`
    std::int64_t day = 0;       ///< for `give_back`: the calendar day (UTC) of the use, in days since 1970
    std::size_t refused_by = 0; ///< unless `allowed`: the index of the first count that refused the use
};

/// Exact sliding windows, as in RateLimiter, and counts of a calendar day, for uses that can be undone
/// (`give_back`). Several limits may apply to one use. All replicas use Redis' clock (tests: see
/// ClientOptions::script_clock). In a sliding window, each use costs about 80 bytes of Redis memory, because
/// it has an id by which it can be undone. So sliding windows suit small counts.
class Quota {
public:
    /// Keys are `<prefix>:{<subject>}:<name>`. `client` must outlive this object.
    Quota(Client& client, std::string prefix);

    /// If every limit allows one more use, counts the use. Otherwise counts nothing. Call `take` before the
    /// action. Throws Unavailable. `limits` must not be empty, and must stay valid until the call is awaited.
    asio::awaitable<Use> take(std::string_view subject, std::string_view name, std::span<Limit const> limits);

    /// A named count of a subject, and its limits. A name must always be used with the same kind of limits.
    struct Count {
        std::string_view name;
        std::span<Limit const> limits; ///< of sliding windows; not empty, unless `per_day` is set
        /// If set, the only limit of the count: the number of uses from midnight to midnight (UTC). The count
        /// needs little memory for every limit.
        std::optional<std::int64_t> per_day{};
    };

    /// As `take` for one name, but for several counts of a subject in one round trip. Adds one use to each
    /// count if all limits of all counts allow it, otherwise to none. `counts` must not be empty. `counts`
    /// and the objects to which it refers must stay valid until the call is awaited.
    asio::awaitable<Use> take(std::string_view subject, std::span<Count const> counts);

    /// Undoes `use`, which must have been allowed. If Redis is down, the use stays counted.
    asio::awaitable<void> give_back(std::string_view subject, std::string_view name, Use const& use);

    /// As `give_back` for one name, but for a use of several counts. `counts` contains their names.
    asio::awaitable<void> give_back(
        std::string_view subject, std::span<std::string const> counts, Use const& use);

private:
    std::string key(std::string_view subject, std::string_view name) const;

    Client& client_;
    std::string prefix_;
    Script take_, give_back_;
};

} // namespace redis
