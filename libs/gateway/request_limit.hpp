#pragma once

#include "http/message.hpp"
#include "observe/log.hpp"
#include "redis/rate_limit.hpp"
#include "tenancy/tenant.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace gateway {

namespace asio = boost::asio;

/// The number of requests that each caller may send within a minute. It is a tenant's limit
/// `requestsPerMinute`, which applies to each user and to each API key, else a limit of the service, which
/// applies to users only. The operator has none. Anonymous callers have a limit only on routes with
/// `limits_networks`. It applies to each network.
class RequestLimit {
public:
    struct Options {
        std::int64_t of_user = 0;    ///< the service's limit for users; 0 means none
        std::int64_t of_network = 0; ///< the limit of a network (/24, /48) at one tenant; 0 means none
        /// Whether requests are served while the limit cannot be checked, for example because Redis is down.
        /// If false, they get 503.
        bool fails_open = true;
    };

    /// `limiter` and `logger` must outlive this object.
    RequestLimit(Options options, redis::RateLimiter& limiter, observe::Logger& logger);

    /// The limit of a caller of the tenant; nullopt if there is none.
    std::optional<redis::Limit> of(core::Caller const& caller, tenancy::Tenant const& tenant) const;

    /// The limit of the networks of anonymous callers; nullopt if there is none.
    std::optional<redis::Limit> of_network() const;

    /// Counts a request of `subject` (`rate_subject`). Returns nullopt if the limit cannot be checked and the
    /// request is served anyway. Else throws redis::Unavailable or UNAVAILABLE.
    asio::awaitable<std::optional<redis::Decision>> count(std::string subject, redis::Limit limit) const;

    /// Throws RATE_LIMITED with `redis::headers` unless the request is allowed.
    static void require_allowed(redis::Decision const& decision);

private:
    Options const options_;
    redis::RateLimiter& limiter_;
    observe::Logger& logger_;
};

} // namespace gateway
