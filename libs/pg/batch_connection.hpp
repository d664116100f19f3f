#pragma once
// Internal to pg: how a batch uses a connection of its thread's pool.

#include "pg/connection_pool.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace pg {

/// Gives a batch exclusive use of a connection.
class PooledBatchConnection final : public BatchConnection {
public:
    /// `database` must outlive this object.
    PooledBatchConnection(Database& database, std::shared_ptr<ConnectionPool> pool,
        std::unique_ptr<AsyncConnection> connection, LockWait wait);
    ~PooledBatchConnection() override;

    using BatchConnection::run;
    asio::awaitable<Rows> run(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params) override;
    asio::awaitable<Rows> run_with_scope_locks(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params) override;

private:
    asio::awaitable<std::vector<Rows>> attempt(std::span<Statement const> statements);
    asio::awaitable<Rows> wait_for_lock(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params);
    asio::awaitable<Rows> try_locks(
        Scopes const& scopes, std::string_view sql, std::span<Param const> params);

    Database& database_;
    std::shared_ptr<ConnectionPool> pool_;
    std::unique_ptr<AsyncConnection> connection_;
    LockWait const wait_;
};

} // namespace pg
