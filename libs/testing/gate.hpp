#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <chrono>

namespace testing {

/// Holds up whoever comes to it until it is opened, and says how many have come: a handler that is under way
/// for as long as a test wants it to be. Outlives them. Safe from any thread.
class Gate {
public:
    /// Counts, then waits until the gate is open.
    boost::asio::awaitable<void> pass()
    {
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
        for (++arrived_; !open_;) {
            timer.expires_after(std::chrono::milliseconds(2));
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
    }

    /// The same for a thread that may block.
    void pass_blocking()
    {
        ++arrived_;
        open_.wait(false);
    }

    unsigned arrived() const noexcept { return arrived_; } ///< so far

    void open() noexcept
    {
        open_ = true;
        open_.notify_all();
    }

private:
    std::atomic<unsigned> arrived_ = 0;
    std::atomic<bool> open_ = false;
};

/// Opens the gate when a test ends, however it ends: for what waits for those whom the gate holds up.
struct OpenAtEnd {
    Gate& gate;

    ~OpenAtEnd() { gate.open(); }
};

} // namespace testing
