#pragma once
// Private to pg: a connection as work sees it.

#include "pg/connection.hpp"

namespace pg {

/// One transaction, begun with its first statement and in the same message. Rolls back unless committed.
class Transaction final : public Tx {
public:
    Transaction(Connection& connection, Scopes const& scopes, Database::Mode mode);
    ~Transaction() override;
    Transaction(Transaction const&) = delete;
    Transaction& operator=(Transaction const&) = delete;

    using Tx::run;
    Rows run(std::string_view sql, std::span<Param const> params) override;

    /// Throws the failure of the statement that spoilt the transaction, if one did.
    void commit();
    void rollback() noexcept;

    /// The failure of a statement or of the commit, else null.
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

/// Times a serialization failure or deadlock is run again.
inline constexpr unsigned retry_limit = 3;

/// What callers are told when the server cannot help them; the reason is for the operator.
core::Error unavailable();

} // namespace pg
