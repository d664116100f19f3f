#include "core/wait.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

namespace core {

void wait(asio::any_io_executor const& executor, asio::awaitable<void> task)
{
    asio::co_spawn(executor, std::move(task), asio::use_future).get();
}

void wait(asio::awaitable<void> task)
{
    asio::io_context context(1);
    auto ended = asio::co_spawn(context, std::move(task), asio::use_future);
    context.run();
    ended.get();
}

} // namespace core
