#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <optional>
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
        return run_for<std::invoke_result_t<Work&>>(std::move(work));
    }

    /// Runs `work()` later on one of the threads. `work` must not throw, because the caller would not get the
    /// exception.
    void post(std::function<void()> work);

    /// Finishes all posted work and ends the threads.
    ~ThreadPool() { pool_.join(); }

    ThreadPool(ThreadPool const&) = delete;
    ThreadPool& operator=(ThreadPool const&) = delete;

private:
    template <class Result> asio::awaitable<Result> run_for(std::function<Result()> work)
    {
        if constexpr (std::is_void_v<Result>) {
            co_await perform(work);
        } else {
            std::optional<Result> result;
            co_await perform([&] { result.emplace(work()); });
            co_return std::move(*result);
        }
    }

    /// `work` must exist until the call has returned.
    asio::awaitable<void> perform(std::function<void()> const& work);

    asio::thread_pool pool_;
};

} // namespace core
