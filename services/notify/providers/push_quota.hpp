#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "redis/client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace notify {

namespace asio = boost::asio;

/// Paces the pushes of a Firebase project to its quota, over all replicas. A token bucket in Redis holds the
/// project's permits. It is refilled evenly and holds at most the permits of `burst`. The bucket belongs to a
/// tenant: another tenant that stores a credential with the same project id cannot use it up.
///
/// A project can be held for a while. Until the end of the hold, no key of the project gets permits in any
/// replica. A hold belongs to a tenant, too.
///
/// While Redis is down, each replica paces itself to the whole quota, and holds have no effect. Thread-safe.
class PushQuota {
public:
    static constexpr std::chrono::milliseconds burst{200};

    /// Permits to send pushes, or the rest of the project's hold.
    struct Grant {
        std::size_t permits = 0;           ///< 0 only if the project is held
        std::chrono::milliseconds held{0}; ///< until the end of the hold; 0 if the project is not held
    };

    struct Hold {
        core::Time since;
        std::chrono::milliseconds left{}; ///< until the end of the hold
    };

    /// Called once, on a thread of `io`.
    using Granted = std::function<void(Grant)>;

    /// `per_minute`: the quota of a project. `redis` must have a connection for `io`. Both outlive this
    /// object.
    PushQuota(redis::Client& redis, asio::io_context& io, std::int64_t per_minute);

    /// Ends waiting calls of `take` without a result.
    ~PushQuota();
    PushQuota(PushQuota const&) = delete;
    PushQuota& operator=(PushQuota const&) = delete;

    /// Takes up to `wanted` permits of a tenant's project, and waits until there is at least one, or until
    /// the project is held. Returns at once.
    void take(core::TenantId tenant, std::string const& project, std::size_t wanted, Granted granted);

    /// Holds a tenant's project for `length`, at most an hour, from now on. A hold that ends later stays.
    /// `since` is the caller's time. Returns at once.
    void hold(core::TenantId tenant, std::string const& project, std::chrono::milliseconds length,
        core::Time since);

    /// The hold of a tenant's project; nullopt if there is none, or if Redis is down. Must be called on a
    /// thread with a connection of the client (redis::Client::command).
    asio::awaitable<std::optional<Hold>> find_hold(core::TenantId tenant, std::string const& project) const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace notify
