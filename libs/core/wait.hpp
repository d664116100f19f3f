#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <optional>
#include <utility>

namespace core {

namespace asio = boost::asio;

/// Runs a coroutine on `executor` and blocks until it has ended. Throws its exception. Must not be called on
/// a thread of `executor`.
void wait(asio::any_io_executor const& executor, asio::awaitable<void> task);

/// Runs a coroutine on the calling thread, with an io_context of its own. Throws its exception.
void wait(asio::awaitable<void> task);

/// For `wait`: keeps the result of a coroutine.
template <class T> asio::awaitable<void> keep(asio::awaitable<T> task, std::optional<T>& result)
{
    result.emplace(co_await std::move(task));
}

/// As `wait` of a coroutine without a result, and returns the result.
template <class T> T wait(asio::any_io_executor const& executor, asio::awaitable<T> task)
{
    std::optional<T> result;
    wait(executor, keep(std::move(task), result));
    return std::move(*result);
}

template <class T> T wait(asio::awaitable<T> task)
{
    std::optional<T> result;
    wait(keep(std::move(task), result));
    return std::move(*result);
}

} // namespace core
