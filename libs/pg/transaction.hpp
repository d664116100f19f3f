#pragma once
// Internal to pg: the transaction that `work` gets.

#include "pg/connection.hpp"

namespace pg {

/// One transaction. The message of its first statement also contains BEGIN. The destructor rolls back unless
/// `commit` succeeded.
class Transaction final : public Tx {
public:
    Transaction(Connection& connection, Scopes const& scopes, Database::Mode mode);
    ~Transaction() override;
    Transaction(Transaction const&) = delete;
    Transaction& operator=(Transaction const&) = delete;

    using Tx::run;
    Rows run(std::string_view sql, std::span<Param const> params) override;

    /// Throws the failure of the statement that broke the transaction, if there is one.
    void commit();
    void rollback() noexcept;

    /// The failure of a statement or of the commit; null if there is none.
    std::exception_ptr const& failure() const noexcept { return failure_; }

private:
    Rows attempt(Statement const& call);
    Rows send(std::span<Statement const> statements);

    Connection& connection_;
    Scopes const& scopes_;
    bool const read_only_;
    bool open_ = false;
    std::exception_ptr failure_;
};

/// The maximum number of retries of a transaction after a serialization failure or deadlock.
inline constexpr unsigned retry_limit = 3;

/// The error that callers get when the server fails. The reason is only logged.
core::Error unavailable();

} // namespace pg
