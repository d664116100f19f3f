#include "pg/lane.hpp"

#include "pg/row.hpp"
#include "pg/transaction.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <pqxx/except>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace pg {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// The pause after a failed attempt to connect. It is needed because each attempt occupies a database thread.
static constexpr auto between_tries = 1s;

/// The lanes of an io_context. Used by its thread only.
class Lane::Service : public asio::execution_context::service {
public:
    using key_type = Service;
    inline static asio::execution_context::id id;

    explicit Service(asio::execution_context& context)
        : service(context), anchor_(static_cast<asio::io_context&>(context))
    {
    }

    std::shared_ptr<Lane> of(asio::any_io_executor const& executor, Database& database)
    {
        auto& lane = lanes_[database.identity()];
        if (!lane) lane = std::make_shared<Lane>(executor);
        return lane;
    }

private:
    void shutdown() override { lanes_.clear(); }

    /// This member creates Asio's descriptor service before this service is complete. A context shuts down
    /// services in the reverse order of their creation, so it destroys the lanes before the descriptor
    /// service on which they depend.
    asio::posix::stream_descriptor anchor_;
    std::unordered_map<std::shared_ptr<void const>, std::shared_ptr<Lane>> lanes_;
};

std::shared_ptr<Lane> Lane::of(asio::any_io_executor const& executor, Database& database)
{
    return asio::use_service<Service>(asio::query(executor, asio::execution::context)).of(executor, database);
}

asio::awaitable<std::unique_ptr<Pipeline>> Lane::take(Database& database)
{
    auto const self = shared_from_this();
    auto const deadline = Clock::now() + database.options().queue_timeout;
    for (;;) {
        if (database.silent()) {
            wake_one(waiting_); // each woken caller fails too, and wakes the next one
            throw unavailable();
        }
        if (auto pipeline = take_idle(database)) co_return pipeline;
        if (may_make()) {
            if (auto pipeline = co_await make(database)) co_return pipeline;
            continue;
        }
        auto const now = Clock::now();
        if (now >= deadline) throw core::Error::unavailable("The database is overloaded. Retry later.");
        bool const may_make_later = made_ + making_ < connection_limit;
        auto const until = may_make_later ? std::min(deadline, next_try_) : deadline;
        co_await wait_in(waiting_, std::chrono::ceil<std::chrono::milliseconds>(until - now));
    }
}

bool Lane::may_make() const
{
    if (made_ + making_ >= connection_limit) return false;
    return made_ == 0 || Clock::now() >= next_try_;
}

asio::awaitable<std::unique_ptr<Pipeline>> Lane::make(Database& database)
{
    ++making_;
    std::exception_ptr failure;
    try {
        ConnectionHandle connection = co_await database.connect();
        auto pipeline =
            std::make_unique<Pipeline>(executor_, std::move(connection), database.wire_options(true));
        --making_;
        ++made_;
        co_return pipeline;
    } catch (...) {
        failure = std::current_exception();
    }
    --making_;
    wake_one(waiting_);
    if (made_ == 0) std::rethrow_exception(failure);
    next_try_ = Clock::now() + between_tries;
    co_return nullptr;
}

std::unique_ptr<Pipeline> Lane::take_idle(Database& database)
{
    while (!idle_.empty()) {
        auto pipeline = std::move(idle_.back());
        idle_.pop_back();
        if (!pipeline->stale()) return pipeline;
        --made_;
        database.report_lost(lost_while_idle);
    }
    return nullptr;
}

asio::awaitable<std::unique_ptr<Pipeline>> Lane::take_apart(Database& database)
{
    auto const self = shared_from_this();
    auto const deadline = Clock::now() + database.options().queue_timeout;
    while (apart_ >= apart_limit) {
        auto const now = Clock::now();
        if (now >= deadline) throw core::Error::unavailable("The database is overloaded. Retry later.");
        co_await wait_in(apart_waiting_, std::chrono::ceil<std::chrono::milliseconds>(deadline - now));
    }
    ++apart_;
    std::exception_ptr failure;
    try {
        co_return co_await take(database);
    } catch (...) {
        failure = std::current_exception();
    }
    end_apart();
    std::rethrow_exception(failure);
}

asio::awaitable<void> Lane::wait_in(Waiting& waiting, std::chrono::milliseconds limit)
{
    struct Place {
        Waiting& waiting;
        asio::steady_timer timer;

        Place(Waiting& w, asio::any_io_executor const& executor, std::chrono::milliseconds limit)
            : waiting(w), timer(executor, limit)
        {
            waiting.push_back(&timer);
        }

        ~Place() { std::erase(waiting, &timer); }
    } place(waiting, executor_, limit);

    boost::system::error_code woken;
    co_await place.timer.async_wait(asio::redirect_error(asio::use_awaitable, woken));
}

void Lane::give_back(std::unique_ptr<Pipeline> pipeline)
{
    if (pipeline->lost())
        --made_;
    else
        idle_.push_back(std::move(pipeline));
    wake_one(waiting_);
}

void Lane::give_back_apart(std::unique_ptr<Pipeline> pipeline)
{
    give_back(std::move(pipeline));
    end_apart();
}

void Lane::end_apart()
{
    --apart_;
    wake_one(apart_waiting_);
}

void Lane::wake_one(Waiting& waiting)
{
    if (waiting.empty()) return;
    waiting.front()->cancel();
    waiting.pop_front();
}

BatchSession::BatchSession(
    Database& database, std::shared_ptr<Lane> lane, std::unique_ptr<Pipeline> pipeline, LockWait wait)
    : database_(database), lane_(std::move(lane)), pipeline_(std::move(pipeline)), wait_(wait)
{
}

BatchSession::~BatchSession()
{
    if (wait_ == LockWait::shared)
        lane_->give_back(std::move(pipeline_));
    else
        lane_->give_back_apart(std::move(pipeline_));
}

namespace {

constexpr std::string_view set_scopes_and_limit =
    "SELECT set_config('app.scopes', $1, true), set_config('lock_timeout', $2, true)";
constexpr std::string_view take_lock = "SELECT pg_advisory_xact_lock($1)";
// If one lock is not available, the statement must change nothing. Therefore it runs with empty `app.scopes`.
constexpr std::string_view try_locks_and_set_scopes =
    "SELECT set_config('app.scopes', CASE WHEN t.busy IS NULL THEN $1 ELSE '' END, true), "
    "set_config('lock_timeout', $2, true), coalesce(t.busy, '{}') "
    "FROM (SELECT array_agg(s::text ORDER BY s) FILTER (WHERE NOT pg_try_advisory_xact_lock(k)) AS busy "
    "FROM unnest($3::bigint[], $4::bigint[]) AS u(s, k)) AS t";

/// The value of PostgreSQL's `lock_timeout`.
Param timeout_of(LockWait wait)
{
    return wait == LockWait::brief ? "10ms" : "100ms";
}

std::vector<std::int64_t> ids_of(std::span<std::string const> texts)
{
    std::vector<std::int64_t> ids;
    for (std::string const& text : texts)
        ids.push_back(std::stoll(text));
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

asio::awaitable<Rows> BatchSession::run(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    Param const settings[] = {visible(scopes), timeout_of(wait_)};
    Statement const statements[] = {
        {database_.transaction_settings(), {}}, {set_scopes_and_limit, settings}, {sql, params}};
    co_return (co_await attempt(statements)).back();
}

asio::awaitable<Rows> BatchSession::run_serialised(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    // Waiting for one lock while holding another would make the other scope wait as well.
    bool const may_wait = wait_ == LockWait::alone && scopes.ids().size() == 1;
    if (may_wait) co_return co_await wait_for_lock(scopes, sql, params);
    co_return co_await try_locks(scopes, sql, params);
}

asio::awaitable<Rows> BatchSession::wait_for_lock(
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
        if (stalled.cause() != Stalled::Cause::row_lock || pipeline_->completed() > before) throw;
    }
    throw Stalled(Stalled::Cause::scope_lock, scopes.ids());
}

asio::awaitable<Rows> BatchSession::try_locks(
    Scopes const& scopes, std::string_view sql, std::span<Param const> params)
{
    std::vector<std::int64_t> keys;
    for (std::int64_t const id : scopes.ids())
        keys.push_back(scope_lock(id));
    Param const locks[] = {visible(scopes), timeout_of(wait_), scopes.ids(), keys};
    Statement const statements[] = {
        {database_.transaction_settings(), {}}, {try_locks_and_set_scopes, locks}, {sql, params}};
    auto const rows = co_await attempt(statements);
    auto busy = RowReader(rows[rows.size() - 2][0], 2).texts();
    if (!busy.empty()) throw Stalled(Stalled::Cause::scope_lock, ids_of(busy));
    co_return rows.back();
}

asio::awaitable<std::vector<Rows>> BatchSession::attempt(std::span<Statement const> statements)
{
    if (statements.front().sql.empty()) statements = statements.subspan(1); // sessions are not shared
    for (unsigned retries = 0;; ++retries) {
        std::exception_ptr failure;
        try {
            co_return co_await pipeline_->run(statements);
        } catch (std::exception const& error) {
            failure = std::current_exception();
            if (pipeline_->lost()) database_.report_lost(error.what());
        }
        if (pipeline_->lost()) throw unavailable();
        if (auto const stalled = stall_of(failure)) throw *stalled;
        Fault const fault = fault_of(failure);
        if (fault == Fault::other) std::rethrow_exception(failure);
        if (fault == Fault::unavailable || retries == retry_limit) throw unavailable();
    }
}

} // namespace pg
