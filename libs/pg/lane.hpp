#pragma once
// Internal to pg: the connections of one I/O thread.

#include "pg/database.hpp"
#include "pg/pipeline.hpp"

#include <boost/asio/execution_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <memory>
#include <vector>

namespace pg {

/// The connections to one Database that the thread of one io_context uses. No state is shared with other
/// threads.
class Lane : public std::enable_shared_from_this<Lane> {
public:
    /// Maximum number of connections of one lane. It is greater than 1 so that a batch that reads does not
    /// wait for a batch that commits. Connections are made on demand.
    static constexpr unsigned connection_limit = 4;

    explicit Lane(asio::any_io_executor executor) : executor_(std::move(executor)) {}

    /// Returns the lane of the calling coroutine. The executor's io_context keeps one lane for each Database
    /// until the io_context is destroyed.
    static std::shared_ptr<Lane> of(asio::any_io_executor const& executor, Database& database);

    /// Returns a connection that no other caller uses until `give_back`. If no connection is idle and the
    /// lane has fewer than `connection_limit`, makes a new one. Otherwise, or if a further connection cannot
    /// be made, waits until another caller gives one back. Throws core::Error UNAVAILABLE if the server is
    /// silent, if the lane has no connection and cannot make one, and after `queue_timeout`.
    asio::awaitable<std::unique_ptr<Pipeline>> take(Database& database);

    void give_back(std::unique_ptr<Pipeline> pipeline);

    /// Maximum number of these connections that may wait for the locks of single scopes.
    static constexpr unsigned apart_limit = 2;

    /// As `take`, for a batch of one scope. Return it with `give_back_apart`.
    asio::awaitable<std::unique_ptr<Pipeline>> take_apart(Database& database);

    void give_back_apart(std::unique_ptr<Pipeline> pipeline);

private:
    class Service;
    /// Timers of the waiting callers, oldest first. Cancelling a timer wakes its caller.
    using Waiting = std::deque<asio::steady_timer*>;

    bool may_make() const;
    /// Makes a connection. If it cannot be made, returns null if the lane has other connections, for which
    /// the caller can wait. Otherwise throws the failure.
    asio::awaitable<std::unique_ptr<Pipeline>> make(Database& database);
    std::unique_ptr<Pipeline> take_idle(Database& database);
    asio::awaitable<void> wait_in(Waiting& waiting, std::chrono::milliseconds limit);
    static void wake_one(Waiting& waiting);
    void end_apart();

    asio::any_io_executor executor_;
    std::vector<std::unique_ptr<Pipeline>> idle_;
    Waiting waiting_;       ///< for a connection
    Waiting apart_waiting_; ///< for one of the `apart_limit` connections
    unsigned made_ = 0;     ///< existing connections
    unsigned making_ = 0;   ///< connections being made
    unsigned apart_ = 0;    ///< number of connections for single scopes: in use, or being taken
    /// When the next attempt to make a connection is allowed, after a failed attempt. Ignored while the lane
    /// has no connection.
    std::chrono::steady_clock::time_point next_try_{};
};

/// Gives a batch exclusive use of a connection.
class BatchSession final : public Session {
public:
    /// `database` must outlive the session.
    BatchSession(
        Database& database, std::shared_ptr<Lane> lane, std::unique_ptr<Pipeline> pipeline, LockWait wait);
    ~BatchSession() override;

    using Session::run;
    asio::awaitable<Rows> run(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params) override;
    asio::awaitable<Rows> run_serialised(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params) override;

private:
    asio::awaitable<std::vector<Rows>> attempt(std::span<Statement const> statements);
    asio::awaitable<Rows> wait_for_lock(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params);
    asio::awaitable<Rows> try_locks(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params);

    Database& database_;
    std::shared_ptr<Lane> lane_;
    std::unique_ptr<Pipeline> pipeline_;
    LockWait const wait_;
};

} // namespace pg
