#pragma once
// Internal to pg: the connections of one I/O thread.

#include "pg/async_connection.hpp"
#include "pg/database.hpp"

#include <boost/asio/execution_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <memory>
#include <vector>

namespace pg {

/// The connections to one Database that the thread of one io_context uses. No state is shared with other
/// threads.
class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
public:
    /// Maximum number of connections of one pool. It is greater than 1 so that a batch that reads does not
    /// wait for a batch that commits. Connections are made on demand.
    static constexpr unsigned connection_limit = 4;

    explicit ConnectionPool(asio::any_io_executor executor) : executor_(std::move(executor)) {}

    /// Returns the pool of the calling coroutine. The executor's io_context keeps one pool for each Database
    /// until the io_context is destroyed.
    static std::shared_ptr<ConnectionPool> of(asio::any_io_executor const& executor, Database& database);

    /// Returns a connection that no other caller uses until `give_back`. If no connection is idle and the
    /// pool has fewer than `connection_limit`, makes a new connection. Otherwise, or if a further connection
    /// cannot be made, waits until another caller gives a connection back. Throws core::Error UNAVAILABLE if
    /// the server is silent, if the pool has no connection and cannot make one, and after `queue_timeout`.
    asio::awaitable<std::unique_ptr<AsyncConnection>> take(Database& database);

    void give_back(std::unique_ptr<AsyncConnection> connection);

    /// Maximum number of these connections that may wait for the locks of single scopes.
    static constexpr unsigned separate_limit = 2;

    /// As `take`, for a batch of one scope. Return it with `give_back_separate`.
    asio::awaitable<std::unique_ptr<AsyncConnection>> take_separate(Database& database);

    void give_back_separate(std::unique_ptr<AsyncConnection> connection);

private:
    class Service;
    /// Timers of the waiting callers, oldest first. Cancelling a timer wakes its caller.
    using Waiting = std::deque<asio::steady_timer*>;

    bool may_make() const;
    /// Makes a connection. If it cannot be made, returns null if the pool has other connections, for which
    /// the caller can wait. Otherwise throws the failure.
    asio::awaitable<std::unique_ptr<AsyncConnection>> make(Database& database);
    std::unique_ptr<AsyncConnection> take_idle(Database& database);
    asio::awaitable<void> wait_in(Waiting& waiting, std::chrono::milliseconds limit);
    static void wake_one(Waiting& waiting);
    void end_separate();

    asio::any_io_executor executor_;
    std::vector<std::unique_ptr<AsyncConnection>> idle_;
    Waiting waiting_;          ///< for a connection
    Waiting separate_waiting_; ///< for one of the `separate_limit` connections
    unsigned made_ = 0;        ///< existing connections
    unsigned making_ = 0;      ///< connections being made
    unsigned separate_ = 0;    ///< number of connections for single scopes: in use, or being taken
    /// When the next attempt to make a connection is allowed, after a failed attempt. Ignored while the pool
    /// has no connection.
    std::chrono::steady_clock::time_point next_try_{};
};

} // namespace pg
