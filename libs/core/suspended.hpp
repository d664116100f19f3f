#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>
#include <vector>

namespace core {

namespace asio = boost::asio;

/// A coroutine that waits for another thread, or for a batch of its own thread. It owns the coroutine's
/// frame, so what lives in that frame may be used until `resume`. Counts as work of the coroutine's execution
/// context, which must outlive it.
class Suspended {
public:
    using Handler = asio::async_result<asio::use_awaitable_t<>, void()>::handler_type;

    explicit Suspended(Handler handler);

    /// Lets the coroutine go on, on its own executor; never within this call. From any thread.
    static void resume(Suspended caller);

    /// The same for many, with one hand-over to each executor, in the order given.
    static void resume(std::vector<Suspended> callers);

private:
    struct Continue;

    Handler handler_;
    asio::any_io_executor executor_;
};

/// `co_await suspend(start)`: leaves the coroutine, passes it to `start(Suspended)`, and returns once it is
/// resumed.
template <class Start> asio::awaitable<void> suspend(Start start)
{
    return asio::async_initiate<asio::use_awaitable_t<> const, void()>(
        [start = std::move(start)](
            Suspended::Handler handler) mutable { start(Suspended(std::move(handler))); },
        asio::use_awaitable);
}

} // namespace core
