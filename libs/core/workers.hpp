#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <type_traits>
#include <utility>

namespace core {

namespace asio = boost::asio;

/// A few threads for what blocks: file system calls, requests to other servers. What waits is bounded by
/// the requests in flight, since each awaits its one piece of work.
class Workers {
public:
    explicit Workers(unsigned threads) : pool_(threads) {}

    /// Runs `work()` on one of the threads and resumes the caller on its own executor with what it returned
    /// or threw.
    template <class Work> auto run(Work work) -> asio::awaitable<std::invoke_result_t<Work&>>
    {
        using Result = std::invoke_result_t<Work&>;
        return asio::co_spawn(
            pool_, [work = std::move(work)]() mutable -> asio::awaitable<Result> { co_return work(); },
            asio::use_awaitable);
    }

    /// Runs `work()` sometime on one of the threads; what it throws is lost, so it throws nothing.
    template <class Work> void post(Work work) { asio::post(pool_, std::move(work)); }

    /// Finishes what was posted and ends the threads.
    ~Workers() { pool_.join(); }

    Workers(Workers const&) = delete;
    Workers& operator=(Workers const&) = delete;

private:
    asio::thread_pool pool_;
};

} // namespace core
