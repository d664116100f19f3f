#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

namespace testing {

namespace asio = boost::asio;

/// Runs `awaitable` on `ioc`, on this thread, until the coroutine has ended and the context has no other
/// work. Returns its value or throws its exception. Throws std::logic_error if the context ran out of work
/// before the coroutine ended.
template <class T> T run_awaitable(asio::io_context& ioc, asio::awaitable<T> awaitable)
{
    using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
    std::exception_ptr failure = std::make_exception_ptr(std::logic_error("the coroutine never finished"));
    std::optional<Value> value;
    if constexpr (std::is_void_v<T>) {
        asio::co_spawn(ioc, std::move(awaitable), [&](std::exception_ptr e) {
            failure = std::move(e);
            value.emplace();
        });
    } else {
        asio::co_spawn(ioc, std::move(awaitable), [&](std::exception_ptr e, T result) {
            failure = std::move(e);
            value.emplace(std::move(result));
        });
    }
    ioc.restart();
    ioc.run();
    if (failure) std::rethrow_exception(failure);
    if constexpr (!std::is_void_v<T>) return std::move(*value);
}

/// Runs `awaitable` in the same way on a new context.
template <class T> T run_awaitable(asio::awaitable<T> awaitable)
{
    asio::io_context ioc(1);
    return run_awaitable(ioc, std::move(awaitable));
}

} // namespace testing
