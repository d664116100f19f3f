#pragma once
// Included by database.hpp: the typed interface of Database::perform.

#include <functional>
#include <optional>

namespace pg::detail {

/// Calls `work` and keeps the result of its last run.
template <class Work> class Call {
public:
    using Result = std::invoke_result_t<Work&, Tx&>;

    explicit Call(Work& work) : work_(work) {}

    void operator()(Tx& tx)
    {
        if constexpr (std::is_void_v<Result>) {
            work_(tx);
        } else {
            result_.reset();
            result_.emplace(work_(tx));
        }
    }

    Result take()
    {
        if constexpr (!std::is_void_v<Result>) return std::move(*result_);
    }

private:
    struct Nothing {};

    Work& work_;
    std::optional<std::conditional_t<std::is_void_v<Result>, Nothing, Result>> result_;
};

} // namespace pg::detail

namespace pg {

template <class Work>
auto Database::transact(Scopes scopes, Work work) -> asio::awaitable<std::invoke_result_t<Work&, Tx&>>
{
    detail::Call<Work> call(work);
    co_await perform(std::move(scopes), Mode::read_write, std::ref(call));
    co_return call.take();
}

template <class Work>
auto Database::read(Scopes scopes, Work work) -> asio::awaitable<std::invoke_result_t<Work&, Tx&>>
{
    detail::Call<Work> call(work);
    co_await perform(std::move(scopes), Mode::read_only, std::ref(call));
    co_return call.take();
}

template <class Work>
auto Database::transact_blocking(Scopes scopes, Work work) -> std::invoke_result_t<Work&, Tx&>
{
    detail::Call<Work> call(work);
    perform_blocking(std::move(scopes), Mode::read_write, std::ref(call));
    return call.take();
}

} // namespace pg
