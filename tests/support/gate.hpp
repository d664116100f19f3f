#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <chrono>

namespace testing {

/// Blocks all callers of `pass` until the gate is opened, so that a test can keep a handler running. Counts
/// the callers. Must outlive them. Thread-safe.
class Gate {
public:
    /// Counts the caller, then waits until the gate is open.
    boost::asio::awaitable<void> pass()
    {
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
        for (++arrived_; !open_;) {
            timer.expires_after(std::chrono::milliseconds(2));
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
    }

    /// As `pass`, but blocks the thread.
    void pass_blocking()
    {
        ++arrived_;
        open_.wait(false);
    }

    unsigned arrived() const noexcept { return arrived_; } ///< number of calls so far

    void open() noexcept
    {
        open_ = true;
        open_.notify_all();
    }

private:
    std::atomic<unsigned> arrived_ = 0;
    std::atomic<bool> open_ = false;
};

/// Opens the gate when a test ends, even by an exception, so that blocked handlers can finish.
struct OpenAtEnd {
    Gate& gate;

    ~OpenAtEnd() { gate.open(); }
};

} // namespace testing
