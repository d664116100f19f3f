#pragma once

#include "core/keyed_limiter.hpp"
#include "core/scope.hpp"
#include "http/router.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace gateway {

namespace asio = boost::asio;

/// Limits concurrent expensive requests (searches, statistics, exports) per scope in this process, so that a
/// single scope cannot use the whole capacity of the database. Requests beyond the limit get 429 with
/// Retry-After. Anonymous callers have half as many requests of their own, so they cannot use up those of the
/// scope's users and backends. Thread-safe.
class ExpensiveRequestLimiter {
public:
    /// `per_scope`: the maximum number of concurrent expensive requests per scope.
    explicit ExpensiveRequestLimiter(std::size_t per_scope);

    /// Counts one more request of the scope's anonymous or other callers, until the last copy of the result
    /// is destroyed. Throws RATE_LIMITED with Retry-After if these callers have reached their limit.
    std::shared_ptr<void const> enter(core::ScopeId scope_id, bool anonymous = false);

    /// Wraps an endpoint. A request that the endpoint's `is_expensive` option selects counts against the
    /// limit until the handler has ended and its stream has been sent.
    http::Endpoint limit(http::Endpoint endpoint);

private:
    core::KeyedLimiter limiter_, anonymous_;
};

} // namespace gateway
