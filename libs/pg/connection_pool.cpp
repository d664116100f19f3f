#include "pg/connection_pool.hpp"

#include "pg/transaction.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <unordered_map>

namespace pg {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// The pause after a failed attempt to connect. It is needed because each attempt occupies a database thread.
static constexpr auto between_tries = 1s;

/// The pools of an io_context. Used by its thread only.
class ConnectionPool::Service : public asio::execution_context::service {
public:
    using key_type = Service;
    inline static asio::execution_context::id id;

    explicit Service(asio::execution_context& context)
        : service(context), anchor_(static_cast<asio::io_context&>(context))
    {
    }

    std::shared_ptr<ConnectionPool> of(asio::any_io_executor const& executor, Database& database)
    {
        auto& pool = pools_[database.identity()];
        if (!pool) pool = std::make_shared<ConnectionPool>(executor);
        return pool;
    }

private:
    void shutdown() override { pools_.clear(); }

    /// This member creates Asio's descriptor service before this service is complete. A context shuts down
    /// services in the reverse order of their creation, so it destroys the pools before the descriptor
    /// service on which they depend.
    asio::posix::stream_descriptor anchor_;
    std::unordered_map<std::shared_ptr<void const>, std::shared_ptr<ConnectionPool>> pools_;
};

std::shared_ptr<ConnectionPool> ConnectionPool::of(asio::any_io_executor const& executor, Database& database)
{
    return asio::use_service<Service>(asio::query(executor, asio::execution::context)).of(executor, database);
}

asio::awaitable<std::unique_ptr<AsyncConnection>> ConnectionPool::take(Database& database)
{
    auto const self = shared_from_this();
    auto const deadline = Clock::now() + database.options().queue_timeout;
    for (;;) {
        if (database.silent()) {
            wake_one(waiting_); // each woken caller fails too, and wakes the next one
            throw unavailable();
        }
        if (auto connection = take_idle(database)) co_return connection;
        if (may_make()) {
            if (auto connection = co_await make(database)) co_return connection;
            continue;
        }
        auto const now = Clock::now();
        if (now >= deadline) throw core::Error::unavailable("The database is overloaded. Retry later.");
        bool const may_make_later = made_ + making_ < connection_limit;
        auto const until = may_make_later ? std::min(deadline, next_try_) : deadline;
        co_await wait_in(waiting_, std::chrono::ceil<std::chrono::milliseconds>(until - now));
    }
}

bool ConnectionPool::may_make() const
{
    if (made_ + making_ >= connection_limit) return false;
    return made_ == 0 || Clock::now() >= next_try_;
}

asio::awaitable<std::unique_ptr<AsyncConnection>> ConnectionPool::make(Database& database)
{
    ++making_;
    std::exception_ptr failure;
    try {
        ConnectionHandle handle = co_await database.connect();
        auto connection =
            std::make_unique<AsyncConnection>(executor_, std::move(handle), database.wire_options(true));
        --making_;
        ++made_;
        co_return connection;
    } catch (...) {
        failure = std::current_exception();
    }
    --making_;
    wake_one(waiting_);
    if (made_ == 0) std::rethrow_exception(failure);
    next_try_ = Clock::now() + between_tries;
    co_return nullptr;
}

std::unique_ptr<AsyncConnection> ConnectionPool::take_idle(Database& database)
{
    while (!idle_.empty()) {
        auto connection = std::move(idle_.back());
        idle_.pop_back();
        if (!connection->stale()) return connection;
        --made_;
        database.report_lost(lost_while_idle);
    }
    return nullptr;
}

asio::awaitable<std::unique_ptr<AsyncConnection>> ConnectionPool::take_separate(Database& database)
{
    auto const self = shared_from_this();
    auto const deadline = Clock::now() + database.options().queue_timeout;
    while (separate_ >= separate_limit) {
        auto const now = Clock::now();
        if (now >= deadline) throw core::Error::unavailable("The database is overloaded. Retry later.");
        co_await wait_in(separate_waiting_, std::chrono::ceil<std::chrono::milliseconds>(deadline - now));
    }
    ++separate_;
    std::exception_ptr failure;
    try {
        co_return co_await take(database);
    } catch (...) {
        failure = std::current_exception();
    }
    end_separate();
    std::rethrow_exception(failure);
}

asio::awaitable<void> ConnectionPool::wait_in(Waiting& waiting, std::chrono::milliseconds limit)
{
    struct Place {
        Waiting& waiting;
        asio::steady_timer timer;

        Place(Waiting& w, asio::any_io_executor const& executor, std::chrono::milliseconds limit)
            : waiting(w), timer(executor, limit)
        {
            waiting.push_back(&timer);
        }

        ~Place() { std::erase(waiting, &timer); }
    } place(waiting, executor_, limit);

    boost::system::error_code woken;
    co_await place.timer.async_wait(asio::redirect_error(asio::use_awaitable, woken));
}

void ConnectionPool::give_back(std::unique_ptr<AsyncConnection> connection)
{
    if (connection->lost())
        --made_;
    else
        idle_.push_back(std::move(connection));
    wake_one(waiting_);
}

void ConnectionPool::give_back_separate(std::unique_ptr<AsyncConnection> connection)
{
    give_back(std::move(connection));
    end_separate();
}

void ConnectionPool::end_separate()
{
    --separate_;
    wake_one(separate_waiting_);
}

void ConnectionPool::wake_one(Waiting& waiting)
{
    if (waiting.empty()) return;
    waiting.front()->cancel();
    waiting.pop_front();
}

} // namespace pg
