#include "pg/transaction.hpp"

#include <algorithm>

namespace pg {

Transaction::Transaction(Connection& connection, Scopes const& scopes, Database::Mode mode)
    : connection_(connection), scopes_(scopes), mode_(mode)
{
}

Transaction::~Transaction()
{
    rollback();
}

pqxx::result Transaction::run(std::string_view sql, std::span<Param const> params)
{
    if (failure_) std::rethrow_exception(failure_);
    try {
        return attempt(sql, params);
    } catch (...) {
        failure_ = std::current_exception();
        throw;
    }
}

pqxx::result Transaction::attempt(std::string_view sql, std::span<Param const> params)
{
    if (!connection_.transaction_settings().empty()) return attempt_unprepared(sql, params);
    std::string const call = connection_.call(sql, params);
    if (std::exchange(open_, true)) return connection_.send(call);
    return connection_.send(begin() + call);
}

/// A message with parameters holds one statement, so the transaction begins in one of its own.
pqxx::result Transaction::attempt_unprepared(std::string_view sql, std::span<Param const> params)
{
    if (!std::exchange(open_, true)) connection_.send(begin() + connection_.transaction_settings());
    return connection_.run_once(sql, params);
}

std::string Transaction::begin() const
{
    bool const writes = mode_ == Database::Mode::read_write;
    std::string const mode = writes ? "BEGIN;" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;";
    return mode + select_scopes(scopes_);
}

void Transaction::commit()
{
    if (failure_) std::rethrow_exception(failure_);
    if (!open_) return;
    try {
        connection_.send("COMMIT");
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
        connection_.send("ROLLBACK");
    } catch (...) { // NOLINT(bugprone-empty-catch): send has noted that the connection is lost, and the
                    // server rolls back
    }
}

void serialise(Tx& tx, std::int64_t scope_id)
{
    tx.run("SELECT pg_advisory_xact_lock($1)", {scope_lock(scope_id)});
}

core::Error unavailable()
{
    return core::Error::unavailable("the database is not available");
}

} // namespace pg
