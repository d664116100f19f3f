#include "pg/database.hpp"

#include "core/suspended.hpp"
#include "pg/batch_connection.hpp"
#include "pg/database_threads.hpp"
#include "pg/transaction.hpp"

#include <boost/asio/this_coro.hpp>

#include <future>

namespace pg {

Database::Database(DatabaseOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

Database::~Database()
{
    stop();
}

bool Database::healthy() const noexcept
{
    return impl_->connected > 0 && !impl_->silent;
}

void Database::set_silent(bool silent)
{
    impl_->set_silent(silent);
}

bool Database::silent() const noexcept
{
    return impl_->silent;
}

WireOptions Database::wire_options(bool binary) const
{
    return impl_->wire_options(binary);
}

std::shared_ptr<void const> Database::reserve(Scopes const& scopes)
{
    return impl_->reserve(scopes);
}

std::size_t Database::queued() const noexcept
{
    std::lock_guard const lock(impl_->mutex);
    return impl_->queue.size();
}

unsigned Database::busy() const noexcept
{
    return impl_->busy;
}

std::shared_ptr<std::atomic<std::int64_t>> const& Database::separate_callers() const noexcept
{
    return impl_->separate_callers;
}

DatabaseOptions const& Database::options() const noexcept
{
    return impl_->options;
}

void Database::stop()
{
    impl_->stop();
}

void Database::submit(QueuedTransaction call)
{
    impl_->submit(std::move(call));
}

void Database::submit(Task task)
{
    impl_->submit(std::move(task));
}

std::shared_ptr<void const> Database::identity() const noexcept
{
    return impl_->identity;
}

std::string const& Database::transaction_settings() const noexcept
{
    return impl_->transaction_settings;
}

asio::awaitable<ConnectionHandle> Database::connect()
{
    ConnectionHandle connection;
    std::exception_ptr failure;
    auto const start = [&](core::Suspended caller) {
        auto const waiting = std::make_shared<core::Suspended>(std::move(caller));
        auto const fail = [&failure, waiting](core::Error const& error) {
            failure = std::make_exception_ptr(error);
            core::Suspended::resume(std::move(*waiting));
        };
        submit(Task{.run =
                        [this, &connection, waiting, fail] {
                            try {
                                connection = pg::connect(impl_->batch_conninfo);
                            } catch (std::exception const& error) {
                                impl_->report_unreachable(error.what());
                                return fail(unavailable());
                            }
                            impl_->report_connected();
                            core::Suspended::resume(std::move(*waiting));
                        },
            .failed = fail});
    };
    co_await core::suspend(start);
    if (failure) std::rethrow_exception(failure);
    co_return connection;
}

void Database::report_lost(std::string_view why)
{
    impl_->report_lost(why);
}

asio::awaitable<std::unique_ptr<BatchConnection>> Database::batch_connection(LockWait wait)
{
    auto const pool = ConnectionPool::of(co_await asio::this_coro::executor, *this);
    auto connection = co_await (wait == LockWait::shared ? pool->take(*this) : pool->take_separate(*this));
    co_return std::make_unique<PooledBatchConnection>(*this, pool, std::move(connection), wait);
}

asio::awaitable<void> Database::perform(Scopes scopes, Mode mode, std::function<void(Tx&)> work)
{
    std::exception_ptr failure;
    auto const start = [&](core::Suspended caller) {
        // std::function requires copyable targets.
        auto const waiting = std::make_shared<core::Suspended>(std::move(caller));
        submit(QueuedTransaction{
            std::move(scopes), mode, std::move(work), [waiting, &failure](std::exception_ptr result) {
                failure = std::move(result);
                core::Suspended::resume(std::move(*waiting));
            }});
    };
    co_await core::suspend(start);
    if (failure) std::rethrow_exception(failure);
}

void Database::perform_blocking(Scopes scopes, Mode mode, std::function<void(Tx&)> work)
{
    // The promise is shared, because the database thread may still use it when `future.get` returns.
    auto const done = std::make_shared<std::promise<void>>();
    std::future<void> future = done->get_future();
    submit(QueuedTransaction{std::move(scopes), mode, std::move(work), [done](std::exception_ptr failure) {
                                 if (failure)
                                     done->set_exception(std::move(failure));
                                 else
                                     done->set_value();
                             }});
    future.get();
}

} // namespace pg
