#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <utility>

namespace notify {

/// Runs a coroutine on an I/O thread and waits for its result. Call it on a worker thread.
template <class T> T wait(boost::asio::io_context& io, boost::asio::awaitable<T> task)
{
    return boost::asio::co_spawn(io, std::move(task), boost::asio::use_future).get();
}

} // namespace notify
