#pragma once
// Private to pg: a connection to PostgreSQL without the waiting, which is its driver's: Connection blocks a
// thread, Pipeline suspends a coroutine.

#include "pg/database.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pg {

/// Connects. Blocks for as long as libpq tries (`connect_timeout` for each address). Throws
/// pqxx::broken_connection.
ConnectionHandle connect(std::string const& conninfo);

/// Reads all that has come, with what waits inside OpenSSL while the socket is not readable. False: the
/// connection is lost, and PQerrorMessage says why.
bool read_all(PGconn* connection);

/// Whether the server ends the session with this SQLSTATE, or a connection with it leads to the wrong one:
/// none behind a pooler (08), shutting down or starting (57P), too slow for it (25P03), read only (25006).
bool ends_session(std::string_view sqlstate);

/// What a failed statement or connection means for the caller.
enum class Fault {
    retry,       ///< serialization failure, deadlock or a void plan: may work when run again
    unavailable, ///< the server's trouble, not the statement's
    other,       ///< the caller's to judge
};

/// What `failure` means, as far as it tells by itself.
Fault fault_of(std::exception_ptr const& failure);

/// A statement with its parameters; `sql` is one of a bounded set of texts.
struct Statement {
    std::string_view sql;
    std::span<Param const> params = {};
    /// It may wait for a lock: the server then sends its result before it runs the next statement, which has
    /// a time limit of its own.
    bool may_wait = false;
};

struct WireOptions {
    bool prepares = true; ///< false where a pooler shares sessions: what is prepared belongs to a session
    bool binary = false;  ///< the form of the rows
    std::chrono::milliseconds silence_limit; ///< a server that sends nothing for longer is taken for gone
    /// Whether the server is known to be silent: then no answer is waited for. Outlives the Wire.
    std::atomic<bool> const& server_silent;
};

/// A connection in libpq's pipeline mode. It sends messages of one or more statements, whose values are bound
/// and never part of the text, and puts their results together. Statements are prepared on first use. For one
/// message at a time:
///
///     for (auto need = wire.send(statements); need != Wire::Need::nothing; need = wire.advance())
///         ...; // wait for the socket; call `check` each `check_interval`
///     return wire.take();
class Wire {
public:
    /// Statements kept prepared; beyond, the oldest is dropped.
    static constexpr std::size_t statement_limit = 512;
    static constexpr std::chrono::milliseconds check_interval{200};

    enum class Need {
        nothing,       ///< the message is answered
        read,          ///< `advance` once the socket is readable
        read_or_write, ///< `advance` once it is readable or writable
    };

    /// Throws pqxx::broken_connection.
    Wire(ConnectionHandle connection, WireOptions const& options);

    /// Begins a message. `read_only`: the transaction was declared to be, and a refused write is no sign of
    /// a wrong server. Throws pqxx::broken_connection, and std::invalid_argument for U+0000 in a parameter.
    /// The connection is lost if the caller does not go on to `take`, since unread answers would be taken for
    /// those of the next message.
    Need send(std::span<Statement const> statements, bool read_only = false);

    /// Writes and reads what can be without waiting. Throws pqxx::broken_connection.
    Need advance();

    /// The rows of each statement. Throws the first failure: pqxx::sql_error, or its class for what callers
    /// tell apart (a broken constraint, missing privileges, a statement that does not fit the schema).
    std::vector<Rows> take();

    /// Statements of the last message that succeeded, until `take` or the next message.
    std::size_t completed() const noexcept { return rows_.size(); }

    /// Throws pqxx::broken_connection when the server has been silent for too long.
    void check();

    /// Gives the connection up. Throws pqxx::broken_connection.
    [[noreturn]] void lose(std::string const& why = "");

    /// Whether the server is gone, as the failures so far tell. Nothing works any more then.
    bool lost() const noexcept { return lost_; }

    /// What the server or libpq said of it, once `lost`.
    std::string const& why_lost() const noexcept { return why_lost_; }

    /// Whether something came, or the end, although nothing was asked: the server has let go of us.
    bool stale() const;

    int socket() const;

    /// For its notifications.
    PGconn* connection() const noexcept { return connection_.get(); }

private:
    using Clock = std::chrono::steady_clock;

    /// A step of the message under way; each has one result.
    struct Step {
        enum Kind { prepare, run, forget } kind;

        std::string_view sql; ///< of one that prepares: a key of `prepared_`
    };

    void queue(Statement const& statement);
    std::string const& prepare(std::string_view sql);
    void forget_oldest();
    void forget_all();
    void queue_forgotten();
    bool receive(PGresult* result);
    void failed(PGresult const* result);
    void finish(Step const& step, bool good, Rows rows);
    void check_sent(int sent);

    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    ConnectionHandle connection_;
    WireOptions const options_;

    std::unordered_map<std::string, std::string, Hash, std::equal_to<>> prepared_; ///< text to name
    std::deque<std::string_view> by_age_;                                          ///< their texts
    std::deque<std::string> forgotten_; ///< names that the server still has to drop
    std::uint64_t named_ = 0;

    std::vector<Step> steps_;
    std::size_t answered_ = 0; ///< of `steps_`
    std::vector<char const*> values_;
    std::vector<Rows> rows_;         ///< of each statement so far
    std::string sqlstate_, message_; ///< of the first failure
    bool read_only_ = false;
    Clock::time_point heard_; ///< the last sign of life

    bool lost_ = false;
    std::string why_lost_ = "the connection broke";
};

/// Of a connection that was found ended when it was looked at.
inline constexpr char const* lost_while_idle = "the server ended it while it was idle";

/// Sets what row-level security checks, for the transaction: the value of `$1` is `visible(scopes)`.
inline constexpr std::string_view set_scopes = "SELECT set_config('app.scopes', $1, true)";
Param visible(Scopes const& scopes);

/// The key of the scope's advisory lock.
constexpr std::int64_t scope_lock(std::int64_t scope_id) noexcept
{
    return (std::int64_t{0x53} << 56) | scope_id;
}

} // namespace pg
