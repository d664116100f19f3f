#pragma once

#include "core/scope.hpp"
#include "redis/client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace notify {

namespace asio = boost::asio;

/// Paces the pushes of a Firebase project to its quota, over all replicas. A token bucket in Redis holds the
/// project's permits. It is refilled evenly and holds at most the permits of `burst`. The bucket belongs to a
/// tenant: another tenant that stores a credential with the same project id cannot use it up. While Redis is
/// down, each replica paces itself to the whole quota. Thread-safe.
class PushQuota {
public:
    static constexpr std::chrono::milliseconds burst{200};

    /// Called once, on a thread of `io`, with the number of permits: 1 or more.
    using Granted = std::function<void(std::size_t permits)>;

    /// `per_minute`: the quota of a project. `redis` must have a connection for `io`. Both outlive this
    /// object.
    PushQuota(redis::Client& redis, asio::io_context& io, std::int64_t per_minute);

    /// Ends waiting calls of `take` without a result.
    ~PushQuota();
    PushQuota(PushQuota const&) = delete;
    PushQuota& operator=(PushQuota const&) = delete;

    /// Takes up to `wanted` permits of a tenant's project, and waits until there is at least one. Returns at
    /// once.
    void take(core::TenantId tenant, std::string const& project, std::size_t wanted, Granted granted);

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace notify
