#pragma once

#include "http/message.hpp"
#include "observe/log.hpp"
#include "redis/rate_limit.hpp"
#include "tenancy/tenant.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>

namespace gateway {

namespace asio = boost::asio;

/// The number of requests that each caller may send within a minute. It is a tenant's limit
/// `requestsPerMinute`, which applies to each user and to each API key, else a limit of the service, which
/// applies to users only. Anonymous callers and the operator have none.
class RequestLimit {
public:
    struct Options {
        std::int64_t of_user = 0; ///< the service's limit for users; 0 means none
        /// Whether requests are served while the limit cannot be checked, for example because Redis is down.
        /// If false, they get 503.
        bool fails_open = true;
    };

    /// `limiter` and `logger` must outlive this object.
    RequestLimit(Options options, redis::RateLimiter& limiter, observe::Logger& logger);

    /// The limit of a caller of the tenant; nullopt if there is none.
    std::optional<redis::Limit> of(core::Caller const& caller, tenancy::Tenant const& tenant) const;

    /// Counts a request of the caller of `context`. Returns nullopt if the limit cannot be checked and the
    /// request is served anyway. Else throws redis::Unavailable or UNAVAILABLE.
    asio::awaitable<std::optional<redis::Decision>> count(
        http::Context const& context, redis::Limit limit) const;

    /// Throws RATE_LIMITED with `redis::headers` unless the request is allowed.
    static void require_allowed(redis::Decision const& decision);

private:
    Options const options_;
    redis::RateLimiter& limiter_;
    observe::Logger& logger_;
};

} // namespace gateway
