#include "pg/pipeline.hpp"

#include "pg/connection.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <pqxx/except>

#include <libpq-fe.h>
#include <poll.h>
#include <utility>

namespace pg {

/// What came back: the last statement's rows, or the first failure.
struct Pipeline::Outcome {
    Rows rows;
    std::string sqlstate, message; ///< empty when all went well
};

void CloseConnection::operator()(PGconn* connection) const noexcept
{
    PQfinish(connection);
}

ConnectionHandle Pipeline::connect(std::string const& conninfo)
{
    ConnectionHandle connection(PQconnectdb(conninfo.c_str()));
    if (!connection || PQstatus(connection.get()) != CONNECTION_OK)
        throw pqxx::broken_connection(connection ? PQerrorMessage(connection.get()) : "out of memory");
    PQsetNoticeProcessor(connection.get(), [](void*, char const*) {}, nullptr); // they would go to stderr
    if (PQsetnonblocking(connection.get(), 1) != 0 || PQenterPipelineMode(connection.get()) != 1)
        throw pqxx::broken_connection(PQerrorMessage(connection.get()));
    return connection;
}

Pipeline::Pipeline(asio::any_io_executor const& executor, ConnectionHandle connection,
    std::chrono::milliseconds silence_limit, bool prepares)
    : connection_(std::move(connection)),
      socket_(std::make_shared<asio::posix::stream_descriptor>(executor, PQsocket(connection_.get()))),
      silence_(executor), silence_limit_(silence_limit), prepares_(prepares)
{
}

Pipeline::~Pipeline()
{
    socket_->release(); // libpq closes it
}

[[noreturn]] static void fail(std::string const& state, std::string const& message, std::string const& sql)
{
    if (state == "23502") throw pqxx::not_null_violation(message, sql, state.c_str());
    if (state == "23503") throw pqxx::foreign_key_violation(message, sql, state.c_str());
    if (state == "23505") throw pqxx::unique_violation(message, sql, state.c_str());
    if (state == "23514") throw pqxx::check_violation(message, sql, state.c_str());
    throw pqxx::sql_error(message, sql, state.c_str());
}

asio::awaitable<Rows> Pipeline::run(std::span<Statement const> statements)
{
    if (lost_) throw pqxx::broken_connection("the connection was lost");
    for (Statement const& statement : statements)
        require_text(statement.params);
    // Whoever leaves in the middle leaves answers behind that would be taken for the next caller's.
    lost_ = true;
    cut_when_silent();
    send(statements);
    co_await flush();
    Outcome outcome = co_await receive();
    silence_.cancel();
    lost_ = false;
    auto const preparing = std::exchange(preparing_, {});
    if (outcome.sqlstate.empty()) co_return std::move(outcome.rows);

    for (std::string_view const sql : preparing)
        prepared_.erase(prepared_.find(sql));
    note(outcome.sqlstate, outcome.message);
    fail(outcome.sqlstate, outcome.message, std::string(statements.back().sql));
}

bool Pipeline::stale() const
{
    pollfd socket{PQsocket(connection_.get()), POLLIN, 0};
    return lost_ || ::poll(&socket, 1, 0) != 0;
}

void Pipeline::send(std::span<Statement const> statements)
{
    for (Statement const& statement : statements)
        send(statement);
    if (PQpipelineSync(connection_.get()) != 1) lose();
}

void Pipeline::send(Statement const& statement)
{
    std::vector<char const*> values;
    values.reserve(statement.params.size());
    for (Param const& param : statement.params)
        values.push_back(param.c_str());
    auto const count = static_cast<int>(values.size());
    constexpr int binary = 1;
    int const sent = prepares_ ? PQsendQueryPrepared(connection_.get(), name_of(statement.sql).c_str(), count,
                                     values.data(), nullptr, nullptr, binary)
                               : PQsendQueryParams(connection_.get(), std::string(statement.sql).c_str(),
                                     count, nullptr, values.data(), nullptr, nullptr, binary);
    if (sent != 1) lose();
}

/// What `sql` is prepared as, in the message under way unless it was before.
std::string const& Pipeline::name_of(std::string_view sql)
{
    if (auto const known = prepared_.find(sql); known != prepared_.end()) return known->second;
    auto const added = prepared_.emplace(sql, "s" + std::to_string(++named_)).first;
    preparing_.push_back(sql);
    if (PQsendPrepare(connection_.get(), added->second.c_str(), added->first.c_str(), 0, nullptr) != 1)
        lose();
    return added->second;
}

asio::awaitable<void> Pipeline::flush()
{
    for (;;) {
        int const left = PQflush(connection_.get());
        if (left == 0) co_return;
        if (left < 0) lose();
        // The server may wait for us to read before it reads on.
        co_await wait(asio::posix::descriptor_base::wait_write);
        if (PQconsumeInput(connection_.get()) != 1) lose();
    }
}

asio::awaitable<Pipeline::Outcome> Pipeline::receive()
{
    Outcome outcome;
    for (;;) {
        while (PQisBusy(connection_.get()) != 0) {
            co_await wait(asio::posix::descriptor_base::wait_read);
            if (PQconsumeInput(connection_.get()) != 1) lose();
        }
        PGresult* const result = PQgetResult(connection_.get());
        if (result == nullptr) {
            // The end of one statement's results; of a connection that broke there is no other sign.
            if (PQstatus(connection_.get()) != CONNECTION_OK) lose();
            continue;
        }
        Rows rows(result);
        switch (PQresultStatus(result)) {
        case PGRES_PIPELINE_SYNC:
            co_return outcome;
        case PGRES_COMMAND_OK:
        case PGRES_TUPLES_OK:
            outcome.rows = std::move(rows);
            break;
        case PGRES_PIPELINE_ABORTED:
            break;
        default:
            char const* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
            if (state == nullptr) lose();
            outcome.sqlstate = state;
            outcome.message = PQresultErrorMessage(result);
        }
    }
}

asio::awaitable<void> Pipeline::wait(asio::posix::stream_descriptor::wait_type what)
{
    boost::system::error_code failed;
    co_await socket_->async_wait(what, asio::redirect_error(asio::use_awaitable, failed));
    if (failed) lose();
}

void Pipeline::cut_when_silent()
{
    silence_.expires_after(silence_limit_);
    silence_.async_wait([weak = std::weak_ptr(socket_)](boost::system::error_code cancelled) {
        if (auto const socket = weak.lock(); socket && !cancelled) socket->cancel();
    });
}

void Pipeline::lose()
{
    silence_.cancel();
    std::string const why = PQerrorMessage(connection_.get());
    throw pqxx::broken_connection(why.empty() ? "the server does not answer" : why);
}

void Pipeline::note(std::string_view sqlstate, std::string_view message)
{
    lost_ = ends_session(sqlstate);
    // The server keeps the void ones to the end of the connection: there are few of them, once a migration.
    if (is_void_plan(sqlstate, message)) prepared_.clear();
}

} // namespace pg
