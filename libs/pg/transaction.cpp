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
    std::string const call = connection_.call(sql, params);
    if (std::exchange(open_, true)) return connection_.send(call);
    bool const writes = mode_ == Database::Mode::read_write;
    std::string const begin = writes ? "BEGIN;" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;";
    return connection_.send(begin + select_scopes(scopes_) + call);
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

pqxx::result BatchSession::run(Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    return send(select_scopes(scopes), sql, params);
}

pqxx::result BatchSession::run_serialised(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    std::vector<std::int64_t> keys;
    for (std::int64_t const id : scopes.ids())
        keys.push_back(scope_lock(id));
    // In one order everywhere, so that two batches cannot wait for each other.
    std::ranges::sort(keys);
    std::string const lock =
        "SELECT pg_advisory_xact_lock(k) FROM unnest('" + Param(keys).text() + "'::bigint[]) k;";
    return send(select_scopes(scopes) + lock, sql, params);
}

pqxx::result BatchSession::send(
    std::string const& preamble, std::string_view sql, std::span<Param const> params)
{
    for (unsigned retries = 0;; ++retries) {
        try {
            return connection_.send(preamble + connection_.call(sql, params));
        } catch (...) {
            Fault const fault = connection_.fault_of(std::current_exception());
            if (fault == Fault::other) throw;
            if (fault == Fault::unavailable || retries == retry_limit) throw unavailable();
        }
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
