#include "pg/connection.hpp"

#include <pqxx/except>
#include <pqxx/prepared_statement>

#include <algorithm>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <vector>

namespace pg {

void Watch::attach(int socket)
{
    std::lock_guard const lock(mutex_);
    socket_ = socket;
}

void Watch::detach()
{
    std::lock_guard const lock(mutex_);
    socket_ = -1;
}

void Watch::cut_after(Clock::duration limit)
{
    Clock::rep const since = since_;
    if (since == 0 || Clock::now() - Clock::time_point(Clock::duration(since)) < limit) return;
    // The lock keeps the socket from being closed, and its number reused, under our hands.
    std::lock_guard const lock(mutex_);
    if (socket_ >= 0 && since_ == since) ::shutdown(socket_, SHUT_RDWR);
}

Connection::Connection(std::string const& conninfo, Watch& watch, std::string const& transaction_settings)
    : watch_(watch), transaction_settings_(transaction_settings), connection_(conninfo), session_(connection_)
{
    watch_.attach(connection_.sock());
}

Connection::~Connection()
{
    watch_.detach();
}

void require_text(std::span<Param const> params)
{
    auto const has_zero = [](Param const& p) {
        return !p.is_null() && p.text().find('\0') != std::string::npos;
    };
    if (std::ranges::any_of(params, has_zero))
        throw std::invalid_argument("U+0000 in a statement's parameter");
}

std::string Connection::call(std::string_view sql, std::span<Param const> params)
{
    require_text(params);
    std::string message = "EXECUTE " + name_of(sql);
    char separator = '(';
    for (Param const& param : params) {
        message += separator;
        separator = ',';
        if (param.is_null()) {
            message += "NULL";
            continue;
        }
        std::string const& text = param.text();
        message += '\'';
        message += connection_.esc(text.data(), text.size());
        message += '\'';
    }
    if (!params.empty()) message += ')';
    return message;
}

template <class Ask> pqxx::result Connection::exchange(Ask ask)
{
    // A connection that is down would be remade silently, without its prepared statements, amid a
    // transaction.
    if (lost()) throw pqxx::broken_connection("the connection was lost");
    Watch::Exchange const exchange(watch_);
    try {
        return ask();
    } catch (...) {
        note(std::current_exception());
        throw;
    }
}

pqxx::result Connection::send(std::string const& message)
{
    return exchange([&] { return session_.exec(message); });
}

pqxx::result Connection::run_once(std::string_view sql, std::span<Param const> params)
{
    require_text(params);
    std::vector<char const*> values; // null: NULL
    values.reserve(params.size());
    for (Param const& param : params)
        values.push_back(param.c_str());
    return exchange(
        [&] { return session_.exec_params(std::string(sql), pqxx::prepare::make_dynamic_params(values)); });
}

bool Connection::stale() const
{
    pollfd socket{connection_.sock(), POLLIN, 0};
    return lost() || ::poll(&socket, 1, 0) != 0;
}

/// 57P: the server shuts down or starts. 25P03: we were too slow for it.
bool ends_session(std::string_view state)
{
    return state.starts_with("57P") || state == "25P03";
}

// The text is looked at, since the state is every missing feature's.
bool is_void_plan(std::string_view state, std::string_view message)
{
    return state == "0A000" && message.find("cached plan must not change") != message.npos;
}

/// Notes what a failure says about the connection: whether it, or what is prepared on it, has to be made
/// anew. A broken socket shows by itself, in `is_open`.
void Connection::note(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (pqxx::broken_connection const& error) {
        lose(error.what());
    } catch (pqxx::sql_error const& error) {
        if (ends_session(error.sqlstate())) lose(error.what());
        if (is_void_plan(error.sqlstate(), error.what())) plans_void_ = true;
    } catch (...) { // NOLINT(bugprone-empty-catch): says nothing about the connection
    }
}

void Connection::lose(char const* why)
{
    if (!std::exchange(lost_, true)) why_lost_ = why;
}

std::string const& Connection::name_of(std::string_view sql)
{
    if (plans_void_ && !lost()) forget_void_plans();
    if (auto const known = statements_.find(sql); known != statements_.end()) return known->second;
    if (lost()) throw pqxx::broken_connection("the connection was lost");
    if (statements_.size() >= statement_limit) forget_oldest();

    std::string const name = "s" + std::to_string(++named_);
    std::string const text(sql);
    Watch::Exchange const exchange(watch_);
    connection_.prepare(name, text);
    try {
        connection_.prepare_now(name);
    } catch (...) {
        note(std::current_exception());
        connection_.unprepare(name);
        throw;
    }
    by_age_.push_back(text);
    return statements_.emplace(text, name).first->second;
}

void Connection::forget_oldest()
{
    Watch::Exchange const exchange(watch_);
    auto const oldest = statements_.find(by_age_.front());
    connection_.unprepare(oldest->second);
    statements_.erase(oldest);
    by_age_.pop_front();
}

// Which others the migration has made void is not known, and a transaction is run again only a few times.
void Connection::forget_void_plans()
{
    while (!by_age_.empty())
        forget_oldest();
    plans_void_ = false;
}

Fault Connection::fault_of(std::exception_ptr const& failure) const
{
    return lost() ? Fault::unavailable : pg::fault_of(failure);
}

Fault fault_of(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (pqxx::broken_connection const&) {
        return Fault::unavailable;
    } catch (pqxx::serialization_failure const&) {
        return Fault::retry;
    } catch (pqxx::deadlock_detected const&) {
        return Fault::retry;
    } catch (pqxx::statement_completion_unknown const&) {
        return Fault::unavailable;
    } catch (pqxx::insufficient_resources const&) { // disk full, out of memory
        return Fault::unavailable;
    } catch (pqxx::sql_error const& error) {
        if (error.sqlstate() == "40001" || error.sqlstate() == "40P01") return Fault::retry;
        if (is_void_plan(error.sqlstate(), error.what())) return Fault::retry;
        // 08: a pooler has no connection to the server. 53: out of resources. 57: cancelled
        // (statement_timeout). 58: its own input or output failed.
        auto const is_class = [&](char const* name) { return error.sqlstate().starts_with(name); };
        return is_class("08") || is_class("53") || is_class("57") || is_class("58") ? Fault::unavailable
                                                                                    : Fault::other;
    } catch (...) {
        return Fault::other;
    }
}

std::string select_scopes(Scopes const& scopes)
{
    std::string sql = "SELECT set_config('app.scopes','";
    char const* separator = "";
    for (std::int64_t const id : scopes.ids()) {
        sql += separator + std::to_string(id);
        separator = ",";
    }
    return sql += "',true);";
}

} // namespace pg
