#include "pg/batch_connection.hpp"

#include "pg/row.hpp"
#include "pg/transaction.hpp"

#include <pqxx/except>

#include <optional>

namespace pg {

PooledBatchConnection::PooledBatchConnection(Database& database, std::shared_ptr<ConnectionPool> pool,
    std::unique_ptr<AsyncConnection> connection, LockWait wait)
    : database_(database), pool_(std::move(pool)), connection_(std::move(connection)), wait_(wait)
{
}

PooledBatchConnection::~PooledBatchConnection()
{
    if (wait_ == LockWait::shared)
        pool_->give_back(std::move(connection_));
    else
        pool_->give_back_separate(std::move(connection_));
}

namespace {

constexpr std::string_view set_scopes_and_limit =
    "SELECT set_config('app.scopes', $1, true), set_config('lock_timeout', $2, true)";
constexpr std::string_view take_lock = "SELECT pg_advisory_xact_lock($1)";
// If one lock is not available, the statement must change nothing. Therefore it runs with empty `app.scopes`.
constexpr std::string_view try_locks_and_set_scopes = R"(
    SELECT set_config('app.scopes', CASE WHEN t.busy IS NULL THEN $1 ELSE '' END, true),
        set_config('lock_timeout', $2, true), coalesce(t.busy, '{}')
    FROM (
        SELECT array_agg(s::text ORDER BY s) FILTER (WHERE NOT pg_try_advisory_xact_lock(k)) AS busy
        FROM unnest($3::bigint[], $4::bigint[]) AS u(s, k)
    ) AS t)";

/// The value of PostgreSQL's `lock_timeout`.
Param timeout_of(LockWait wait)
{
    return wait == LockWait::brief ? "10ms" : "100ms";
}

std::vector<core::ScopeId> ids_of(std::span<std::string const> texts)
{
    std::vector<core::ScopeId> ids;
    for (std::string const& text : texts)
        ids.push_back(core::ScopeId{std::stoll(text)});
    return ids;
}

/// The Stalled error for a statement that waited too long for a lock (55P03) or was cancelled (57014), for
/// example by `statement_timeout`. Returns nullopt for other failures.
std::optional<Stalled> stall_of(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (pqxx::sql_error const& error) {
        if (error.sqlstate() == "55P03") return Stalled(Stalled::Cause::row_lock);
        if (error.sqlstate() == "57014") return Stalled(Stalled::Cause::timeout);
    } catch (...) { // NOLINT(bugprone-empty-catch): other failures are not stalls
    }
    return std::nullopt;
}

} // namespace

asio::awaitable<Rows> PooledBatchConnection::run(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    Param const settings[] = {visible(scopes), timeout_of(wait_)};
    Statement const statements[] = {
        {database_.transaction_settings(), {}}, {set_scopes_and_limit, settings}, {sql, params}};
    co_return (co_await attempt(statements)).back();
}

asio::awaitable<Rows> PooledBatchConnection::run_with_scope_locks(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    // A wait for the lock of one scope, while the lock of another scope is held, would delay both scopes.
    bool const may_wait = wait_ == LockWait::alone && scopes.ids().size() == 1;
    if (may_wait) co_return co_await wait_for_lock(scopes, sql, params);
    co_return co_await try_locks(scopes, sql, params);
}

asio::awaitable<Rows> PooledBatchConnection::wait_for_lock(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    Param const settings[] = {visible(scopes), timeout_of(wait_)};
    Param const key = scope_lock(scopes.ids().front());
    Statement const statements[] = {{database_.transaction_settings(), {}}, {set_scopes_and_limit, settings},
        {take_lock, {&key, 1}, true}, {sql, params}};
    // The number of statements that the message contains before `take_lock`.
    std::size_t const before = database_.transaction_settings().empty() ? 1 : 2;
    try {
        co_return (co_await attempt(statements)).back();
    } catch (Stalled const& stalled) {
        if (stalled.cause() != Stalled::Cause::row_lock || connection_->completed() > before) throw;
    }
    throw Stalled(Stalled::Cause::scope_lock, scopes.ids());
}

asio::awaitable<Rows> PooledBatchConnection::try_locks(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    std::vector<std::int64_t> keys;
    for (core::ScopeId const id : scopes.ids())
        keys.push_back(scope_lock(id));
    Param const locks[] = {visible(scopes), timeout_of(wait_), scopes.ids(), keys};
    Statement const statements[] = {
        {database_.transaction_settings(), {}}, {try_locks_and_set_scopes, locks}, {sql, params}};
    auto const rows = co_await attempt(statements);
    auto busy = RowReader(rows[rows.size() - 2][0], 2).texts();
    if (!busy.empty()) throw Stalled(Stalled::Cause::scope_lock, ids_of(busy));
    co_return rows.back();
}

asio::awaitable<std::vector<Rows>> PooledBatchConnection::attempt(std::span<Statement const> statements)
{
    if (statements.front().sql.empty()) statements = statements.subspan(1); // sessions are not shared
    for (unsigned retries = 0;; ++retries) {
        std::exception_ptr failure;
        try {
            co_return co_await connection_->run(statements);
        } catch (std::exception const& error) {
            failure = std::current_exception();
            if (connection_->lost()) database_.report_lost(error.what());
        }
        if (connection_->lost()) throw unavailable();
        if (auto const stalled = stall_of(failure)) throw *stalled;
        FailureKind const kind = failure_kind(failure);
        if (kind == FailureKind::other) std::rethrow_exception(failure);
        if (kind == FailureKind::unavailable || retries == retry_limit) throw unavailable();
    }
}

} // namespace pg
