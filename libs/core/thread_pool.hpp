#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <type_traits>
#include <utility>

namespace core {

namespace asio = boost::asio;

/// A small thread pool for blocking calls: file system calls, requests to other servers. The queue needs no
/// limit of its own, because each request in flight awaits one call at a time.
class ThreadPool {
public:
    explicit ThreadPool(unsigned threads) : pool_(threads) {}

    /// Runs `work()` on one of the threads, then resumes the caller on its own executor with the result or
    /// exception.
    template <class Work> auto run(Work work) -> asio::awaitable<std::invoke_result_t<Work&>>
    {
        using Result = std::invoke_result_t<Work&>;
        return asio::co_spawn(
            pool_, [work = std::move(work)]() mutable -> asio::awaitable<Result> { co_return work(); },
            asio::use_awaitable);
    }

    /// Runs `work()` later on one of the threads. `work` must not throw, because the caller would not get the
    /// exception.
    template <class Work> void post(Work work) { asio::post(pool_, std::move(work)); }

    /// Finishes all posted work and ends the threads.
    ~ThreadPool() { pool_.join(); }

    ThreadPool(ThreadPool const&) = delete;
    ThreadPool& operator=(ThreadPool const&) = delete;

private:
    asio::thread_pool pool_;
};

} // namespace core
