#include "pg/transaction.hpp"

#include <utility>
#include <vector>

namespace pg {

Transaction::Transaction(Connection& connection, Scopes const& scopes, Database::Mode mode)
    : connection_(connection), scopes_(scopes), read_only_(mode == Database::Mode::read_only)
{
}

Transaction::~Transaction()
{
    rollback();
}

Rows Transaction::run(std::string_view sql, std::span<Param const> params)
{
    if (failure_) std::rethrow_exception(failure_);
    try {
        return attempt({sql, params});
    } catch (...) {
        failure_ = std::current_exception();
        throw;
    }
}

Rows Transaction::attempt(Statement const& call)
{
    if (open_) return send({&call, 1});
    open_ = true;
    Param const scopes = visible(scopes_);
    std::vector<Statement> statements;
    statements.push_back({read_only_ ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN"});
    if (auto const& settings = connection_.transaction_settings(); !settings.empty())
        statements.push_back({settings});
    statements.push_back({set_scopes, {&scopes, 1}});
    statements.push_back(call);
    return send(statements);
}

Rows Transaction::send(std::span<Statement const> statements)
{
    return connection_.run(statements, read_only_);
}

void Transaction::commit()
{
    if (failure_) std::rethrow_exception(failure_);
    if (!open_) return;
    try {
        Statement const commit{"COMMIT"};
        send({&commit, 1});
        open_ = false;
    } catch (...) {
        failure_ = std::current_exception();
        throw;
    }
}

void Transaction::rollback() noexcept
{
    if (!std::exchange(open_, false) || connection_.lost()) return;
    try {
        Statement const rollback{"ROLLBACK"};
        send({&rollback, 1});
    } catch (...) { // NOLINT(bugprone-empty-catch): the connection is lost, so the server rolls back
    }
}

core::Error unavailable()
{
    return core::Error::unavailable("The database is not available. Retry later.");
}

} // namespace pg
