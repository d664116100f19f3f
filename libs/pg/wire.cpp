#include "pg/wire.hpp"

#include <openssl/ssl.h>
#include <pqxx/except>

#include <algorithm>
#include <libpq-fe.h>
#include <poll.h>
#include <stdexcept>
#include <utility>

namespace pg {

void CloseConnection::operator()(PGconn* connection) const noexcept
{
    PQfinish(connection);
}

ConnectionHandle connect(std::string const& conninfo)
{
    ConnectionHandle connection(PQconnectdb(conninfo.c_str()));
    if (!connection || PQstatus(connection.get()) != CONNECTION_OK)
        throw pqxx::broken_connection(connection ? PQerrorMessage(connection.get()) : "out of memory");
    // Notices would be printed to stderr.
    PQsetNoticeProcessor(connection.get(), [](void*, char const*) {}, nullptr);
    // A DETAIL contains values of keys and rows, which must not be logged.
    PQsetErrorVerbosity(connection.get(), PQERRORS_TERSE);
    return connection;
}

bool read_all(PGconn* connection)
{
    auto* const tls = static_cast<SSL*>(PQsslStruct(connection, "OpenSSL"));
    do {
        if (PQconsumeInput(connection) != 1) return false;
    } while (tls != nullptr && SSL_pending(tls) > 0);
    return true;
}

bool ends_session(std::string_view state)
{
    return state.starts_with("08") || state.starts_with("57P") || state == "25P03" || state == "25006";
}

/// Whether the server refused to run a prepared statement because a migration changed the type of a column
/// that the statement returns. The statement had no effect and must be prepared again. The message is checked
/// too, because SQLSTATE 0A000 stands for every unsupported feature.
static bool is_void_plan(std::string_view state, std::string_view message)
{
    return state == "0A000" && message.find("cached plan must not change") != message.npos;
}

FailureKind failure_kind(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (pqxx::broken_connection const&) {
        return FailureKind::unavailable;
    } catch (pqxx::sql_error const& error) {
        std::string const& state = error.sqlstate();
        if (state == "40001" || state == "40P01" || is_void_plan(state, error.what()))
            return FailureKind::retry;
        // 53: the server is out of resources. 57: cancelled (statement_timeout) or shutting down. 58:
        // input/output error of the server.
        auto const is_class = [&](char const* name) { return state.starts_with(name); };
        return is_class("53") || is_class("57") || is_class("58") ? FailureKind::unavailable
                                                                  : FailureKind::other;
    } catch (...) {
        return FailureKind::other;
    }
}

Param visible(Scopes const& scopes)
{
    std::string text;
    for (core::ScopeId const id : scopes.ids()) {
        if (!text.empty()) text += ',';
        text += core::to_string(id);
    }
    return text;
}

static void require_text(std::span<Param const> params)
{
    auto const has_zero = [](Param const& p) {
        return !p.is_null() && p.text().find('\0') != std::string::npos;
    };
    if (std::ranges::any_of(params, has_zero))
        throw std::invalid_argument("a statement parameter contains U+0000");
}

Wire::Wire(ConnectionHandle connection, WireOptions const& options)
    : connection_(std::move(connection)), options_(options)
{
    if (PQsetnonblocking(connection_.get(), 1) != 0 || PQenterPipelineMode(connection_.get()) != 1) lose();
}

int Wire::socket() const
{
    return PQsocket(connection_.get());
}

bool Wire::stale() const
{
    pollfd watched{socket(), POLLIN, 0};
    return lost_ || ::poll(&watched, 1, 0) != 0;
}

Wire::Need Wire::send(std::span<Statement const> statements, bool read_only)
{
    if (lost_) throw pqxx::broken_connection("the connection was lost");
    for (Statement const& statement : statements)
        require_text(statement.params);
    lost_ = true;
    read_only_ = read_only;
    heard_ = Clock::now();
    steps_.clear();
    answered_ = 0;
    rows_.clear();
    sqlstate_.clear();
    for (Statement const& statement : statements)
        queue(statement);
    queue_forgotten();
    check_sent(PQpipelineSync(connection_.get()));
    int const left = PQflush(connection_.get());
    if (left < 0) lose();
    return left > 0 ? Need::read_or_write : Need::read;
}

Wire::Need Wire::advance()
{
    heard_ = Clock::now();
    // The server may stop reading until its output is read, so read and write after each wait.
    int const left = PQflush(connection_.get());
    if (left < 0 || !read_all(connection_.get())) lose();
    while (PQisBusy(connection_.get()) == 0) {
        PGresult* const result = PQgetResult(connection_.get());
        if (result != nullptr) {
            if (receive(result)) return Need::nothing;
        } else if (PQstatus(connection_.get()) != CONNECTION_OK) {
            lose(); // with a good connection, null marks the end of one step's results
        }
    }
    return left > 0 ? Need::read_or_write : Need::read;
}

[[noreturn]] static void fail(std::string const& state, std::string const& message)
{
    // The exceptions do not contain the statement, because its text adds nothing to the message.
    if (state == "23502") throw pqxx::not_null_violation(message, "", state.c_str());
    if (state == "23503") throw pqxx::foreign_key_violation(message, "", state.c_str());
    if (state == "23505") throw pqxx::unique_violation(message, "", state.c_str());
    if (state == "23514") throw pqxx::check_violation(message, "", state.c_str());
    if (state == "42501") throw pqxx::insufficient_privilege(message, "", state.c_str());
    if (state == "42601") throw pqxx::syntax_error(message, "", state.c_str());
    if (state == "42703") throw pqxx::undefined_column(message, "", state.c_str());
    throw pqxx::sql_error(message, "", state.c_str());
}

std::vector<Rows> Wire::take()
{
    lost_ = false;
    if (sqlstate_.empty()) return std::exchange(rows_, {});
    bool const own_fault = read_only_ && sqlstate_ == "25006";
    if (ends_session(sqlstate_) && !own_fault) {
        lost_ = true;
        why_lost_ = message_;
    }
    // All prepared statements are dropped, not only this one. Others may be outdated too, and a transaction
    // that met them one by one would use up its few retries.
    if (is_void_plan(sqlstate_, message_)) forget_all();
    fail(sqlstate_, message_);
}

void Wire::check()
{
    if (options_.server_silent) lose("the server is silent");
    if (Clock::now() - heard_ > options_.silence_limit) lose("the server does not answer");
}

void Wire::lose(std::string const& why)
{
    lost_ = true;
    std::string const message = why.empty() ? PQerrorMessage(connection_.get()) : why;
    if (!message.empty()) why_lost_ = message;
    throw pqxx::broken_connection(why_lost_);
}

void Wire::check_sent(int sent)
{
    if (sent != 1) lose();
}

void Wire::queue(Statement const& statement)
{
    values_.clear();
    for (Param const& param : statement.params)
        values_.push_back(param.c_str());
    auto const count = static_cast<int>(values_.size());
    int const form = options_.binary ? 1 : 0;
    if (options_.prepares)
        check_sent(PQsendQueryPrepared(connection_.get(), prepare(statement.sql).c_str(), count,
            values_.data(), nullptr, nullptr, form));
    else
        check_sent(PQsendQueryParams(connection_.get(), std::string(statement.sql).c_str(), count, nullptr,
            values_.data(), nullptr, nullptr, form));
    steps_.push_back({Step::run, {}});
    if (statement.may_wait) check_sent(PQsendFlushRequest(connection_.get()));
}

/// Returns the name under which `sql` is prepared. Prepares it in the current message if it is not prepared
/// yet.
std::string const& Wire::prepare(std::string_view sql)
{
    if (auto const known = prepared_.find(sql); known != prepared_.end()) return known->second;
    if (prepared_.size() >= statement_limit) forget_oldest();
    auto const added = prepared_.emplace(sql, "s" + std::to_string(++named_)).first;
    by_age_.push_back(added->first);
    steps_.push_back({Step::prepare, added->first});
    check_sent(PQsendPrepare(connection_.get(), added->second.c_str(), added->first.c_str(), 0, nullptr));
    return added->second;
}

void Wire::forget_oldest()
{
    auto const oldest = prepared_.find(by_age_.front());
    by_age_.pop_front();
    forgotten_.push_back(std::move(oldest->second));
    prepared_.erase(oldest);
}

void Wire::forget_all()
{
    while (!by_age_.empty())
        forget_oldest();
}

/// Drops the forgotten statements on the server. Called at the end of a message, because the message may
/// still use some of these statements, and because BEGIN must be the first statement of its message.
void Wire::queue_forgotten()
{
    for (std::string const& name : forgotten_) {
        check_sent(PQsendQueryParams(
            connection_.get(), ("DEALLOCATE " + name).c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
        steps_.push_back({Step::forget, {}});
    }
}

/// Takes a result. Returns true if `result` marks the end of the message, false if it belongs to a step.
bool Wire::receive(PGresult* result)
{
    Rows rows(result);
    auto const status = PQresultStatus(result);
    if (status == PGRES_PIPELINE_SYNC) return true;
    bool const good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
    if (!good && status != PGRES_PIPELINE_ABORTED) failed(result);
    // An implicit transaction ends with the message. So its commit may fail after all steps have results.
    if (answered_ < steps_.size()) finish(steps_[answered_++], good, std::move(rows));
    return false;
}

void Wire::finish(Step const& step, bool good, Rows rows)
{
    if (good && step.kind == Step::run) rows_.push_back(std::move(rows));
    if (good && step.kind == Step::forget) forgotten_.pop_front();
    if (good || step.kind != Step::prepare) return;
    std::erase(by_age_, step.sql);
    prepared_.erase(prepared_.find(step.sql));
}

void Wire::failed(PGresult const* result)
{
    char const* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (state == nullptr) lose(PQresultErrorMessage(result));
    sqlstate_ = state;
    message_ = PQresultErrorMessage(result);
}

} // namespace pg
