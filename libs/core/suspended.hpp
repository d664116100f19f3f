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

/// A suspended coroutine that waits for another thread, or for a batch on its own thread. This object owns
/// the coroutine's frame, so other threads may use objects in that frame until `resume`. It counts as work of
/// the coroutine's execution context, which must outlive this object.
class Suspended {
public:
    using Handler = asio::async_result<asio::use_awaitable_t<>, void()>::handler_type;

    explicit Suspended(Handler handler);

    /// Resumes the coroutine on its own executor, never within this call. Thread-safe.
    static void resume(Suspended caller);

    /// Resumes many coroutines in the given order, with one post to each executor.
    static void resume(std::vector<Suspended> callers);

private:
    struct Continue;

    Handler handler_;
    asio::any_io_executor executor_;
};

/// `co_await suspend(start)` suspends the coroutine, passes it to `start(Suspended)` and returns when the
/// coroutine is resumed.
template <class Start> asio::awaitable<void> suspend(Start start)
{
    return asio::async_initiate<asio::use_awaitable_t<> const, void()>(
        [start = std::move(start)](
            Suspended::Handler handler) mutable { start(Suspended(std::move(handler))); },
        asio::use_awaitable);
}

} // namespace core
