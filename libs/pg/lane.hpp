#pragma once
// Private to pg: the connections of one I/O thread.

#include "pg/database.hpp"
#include "pg/pipeline.hpp"

#include <boost/asio/execution_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <memory>
#include <vector>

namespace pg {

/// The connections that one io_context's thread uses for one Database. Nothing is shared with other threads.
class Lane : public std::enable_shared_from_this<Lane> {
public:
    /// Connections of one lane, made as they are needed: a batch that reads does not wait for one that
    /// commits.
    static constexpr unsigned connection_limit = 4;

    explicit Lane(asio::any_io_executor executor) : executor_(std::move(executor)) {}

    /// The calling coroutine's lane: its executor's context keeps one for each Database, to its own end.
    static std::shared_ptr<Lane> of(asio::any_io_executor const& executor, Database& database);

    /// A connection for the caller alone, to be returned with `give_back`. Makes one when there are fewer
    /// than `connection_limit`, and otherwise, or when the server gives no more, waits for one. Throws
    /// core::Error UNAVAILABLE.
    asio::awaitable<std::unique_ptr<Pipeline>> take(Database& database);

    void give_back(std::unique_ptr<Pipeline> pipeline);

    /// Of the connections, those that may wait for the locks of single scopes at a time.
    static constexpr unsigned apart_limit = 2;

    /// As `take`, for a batch of one scope; back with `give_back_apart`.
    asio::awaitable<std::unique_ptr<Pipeline>> take_apart(Database& database);

    void give_back_apart(std::unique_ptr<Pipeline> pipeline);

private:
    class Service;
    /// Timers of the waiting callers, oldest first. To cancel a timer wakes its caller.
    using Waiting = std::deque<asio::steady_timer*>;

    bool may_make() const;
    /// Null when it cannot be made, but there are others to wait for.
    asio::awaitable<std::unique_ptr<Pipeline>> make(Database& database);
    std::unique_ptr<Pipeline> take_idle(Database& database);
    asio::awaitable<void> wait_in(Waiting& waiting, std::chrono::milliseconds limit);
    static void wake_one(Waiting& waiting);
    void end_apart();

    asio::any_io_executor executor_;
    std::vector<std::unique_ptr<Pipeline>> idle_;
    Waiting waiting_;       ///< for a connection
    Waiting apart_waiting_; ///< to be one of `apart_limit`
    unsigned made_ = 0;     ///< connections there are
    unsigned making_ = 0;   ///< connections that are being made
    unsigned apart_ = 0;    ///< connections of single scopes, taken or waited for
    /// When another is tried for after one could not be made, while there are some.
    std::chrono::steady_clock::time_point next_try_{};
};

/// A batch's hold on a connection.
class BatchSession final : public Session {
public:
    /// `database` outlives the session.
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
