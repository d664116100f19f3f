#include "core/thread_pool.hpp"

#include "core/suspended.hpp"

#include <boost/asio/post.hpp>

namespace core {

void ThreadPool::post(std::function<void()> work)
{
    asio::post(pool_, std::move(work));
}

asio::awaitable<void> ThreadPool::perform(std::function<void()> const& work)
{
    std::exception_ptr failure;
    co_await suspend([&](Suspended caller) {
        asio::post(pool_, [&, caller = std::move(caller)]() mutable {
            try {
                work();
            } catch (...) {
                failure = std::current_exception();
            }
            Suspended::resume(std::move(caller));
        });
    });
    if (failure) std::rethrow_exception(failure);
}

} // namespace core
