#include "pg/tx_batch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <utility>

namespace pg {

void use_batch_plans(Tx& tx)
{
    tx.run("SELECT set_config('plan_cache_mode', 'force_generic_plan', true),"
           " set_config('enable_seqscan', 'off', true)");
}

TxBatchConnection::TxBatchConnection(Tx& tx) : tx_(tx)
{
    use_batch_plans(tx);
}

asio::awaitable<Rows> TxBatchConnection::run(
    Scopes const&, std::string_view sql, std::span<Param const> params)
{
    co_return tx_.run(sql, params);
}

asio::awaitable<Rows> TxBatchConnection::run_with_scope_locks(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    for (core::ScopeId const id : scopes.ids())
        lock_scope(tx_, id);
    co_return tx_.run(sql, params);
}

void run_blocking(std::function<asio::awaitable<void>()> const& work)
{
    asio::io_context io(1);
    std::exception_ptr failure;
    asio::co_spawn(io, work(), [&](std::exception_ptr thrown) { failure = std::move(thrown); });
    io.run();
    if (failure) std::rethrow_exception(failure);
}

} // namespace pg
