#pragma once

#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <functional>
#include <vector>

namespace pg {

/// Makes the server plan each later statement of the transaction as on the connections for batches: once per
/// connection, and without sequential scans. For statements that serve many rows at once.
void use_batch_plans(Tx& tx);

/// A BatchConnection that runs its statements in an open transaction. The scopes of the transaction replace
/// the scopes of the calls. Locks are waited for, and held until the transaction ends.
class TxBatchConnection final : public BatchConnection {
public:
    /// From now on, the transaction plans its statements like those of a BatchConnection.
    explicit TxBatchConnection(Tx& tx);

    asio::awaitable<Rows> run(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params) override;
    asio::awaitable<Rows> run_with_scope_locks(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params) override;

private:
    Tx& tx_;
};

/// Runs `work` on this thread until it ends. `work` may await only the calls of a TxBatchConnection. Rethrows
/// its exception.
void run_blocking(std::function<asio::awaitable<void>()> const& work);

/// Runs the work of a Batcher for `inputs` in an open transaction.
template <class In, class Out, class Work>
std::vector<Out> run_batch(Tx& tx, std::vector<In> const& inputs, Work const& work)
{
    TxBatchConnection connection(tx);
    std::vector<Out> outputs;
    run_blocking([&]() -> asio::awaitable<void> { outputs = co_await work(connection, inputs); });
    return outputs;
}

} // namespace pg
