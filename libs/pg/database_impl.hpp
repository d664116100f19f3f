#pragma once
// Included by database.hpp: the typed interface of Database::perform.

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace pg {

/// This coroutine depends on the result's type only, and not on the type of `work`, because compiling a
/// coroutine is slow.
template <class Result>
asio::awaitable<Result> Database::perform_for(Scopes scopes, Mode mode, std::function<Result(Tx&)> work)
{
    if constexpr (std::is_void_v<Result>) {
        co_await perform(std::move(scopes), mode, std::ref(work));
    } else {
        std::optional<Result> result;
        co_await perform(std::move(scopes), mode, [&](Tx& tx) {
            result.reset();
            result.emplace(work(tx));
        });
        co_return std::move(*result);
    }
}

template <class Work>
auto Database::transact(Scopes scopes, Work work) -> asio::awaitable<std::invoke_result_t<Work&, Tx&>>
{
    return perform_for<std::invoke_result_t<Work&, Tx&>>(
        std::move(scopes), Mode::read_write, std::move(work));
}

template <class Work>
auto Database::read(Scopes scopes, Work work) -> asio::awaitable<std::invoke_result_t<Work&, Tx&>>
{
    return perform_for<std::invoke_result_t<Work&, Tx&>>(std::move(scopes), Mode::read_only, std::move(work));
}

template <class Work>
auto Database::transact_blocking(Scopes scopes, Work work) -> std::invoke_result_t<Work&, Tx&>
{
    using Result = std::invoke_result_t<Work&, Tx&>;
    if constexpr (std::is_void_v<Result>) {
        perform_blocking(std::move(scopes), Mode::read_write, std::ref(work));
    } else {
        std::optional<Result> result;
        perform_blocking(std::move(scopes), Mode::read_write, [&](Tx& tx) {
            result.reset();
            result.emplace(work(tx));
        });
        return std::move(*result);
    }
}

} // namespace pg
