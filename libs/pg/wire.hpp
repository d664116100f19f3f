#pragma once
// Internal to pg: a PostgreSQL connection whose functions do not wait for the server. Its users do the
// waiting: Connection blocks its thread, AsyncConnection suspends its coroutine, and Listener blocks its own
// thread.

#include "core/scope.hpp"
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

/// Connects. Blocks for at most `connect_timeout` per address. Throws pqxx::broken_connection.
ConnectionHandle connect(std::string const& conninfo);

/// Reads all bytes that have arrived, including bytes that OpenSSL holds while the socket is not readable.
/// Returns false if the connection is lost; PQerrorMessage has the reason.
bool read_all(PGconn* connection);

/// Whether a connection must be closed after a statement failed with this SQLSTATE, because the server ends
/// the session, or because the connection leads to the wrong server. 08: a pooler has no server. 57P: the
/// server is shutting down or starting. 25P03: the session was idle in a transaction for too long. 25006: the
/// server is read-only.
bool ends_session(std::string_view sqlstate);

/// How the caller should handle a failed statement or connection.
enum class FailureKind {
    retry,       ///< serialization failure, deadlock or outdated plan: may succeed when run again
    unavailable, ///< the server failed, not the statement
    other,       ///< the caller decides
};

/// Classifies `failure` by its exception only. The state of the connection is not known here.
FailureKind failure_kind(std::exception_ptr const& failure);

/// A statement with its parameters. `sql` must be one of a bounded set of texts.
struct Statement {
    std::string_view sql;
    std::span<Param const> params = {};
    /// The statement may wait for a lock. The server then sends the result of this statement before it runs
    /// the next one, so that each of the two has its own time limit.
    bool may_wait = false;
};

struct WireOptions {
    /// Whether statements are prepared. False if a pooler shares sessions, because prepared statements belong
    /// to a session.
    bool prepares = true;
    bool binary = false; ///< binary form of the rows
    /// If the server sends nothing for longer, the connection counts as lost.
    std::chrono::milliseconds silence_limit;
    /// Whether the server is known to be silent. While the flag is true, `check` throws, so the Wire's user
    /// stops waiting for an answer. The flag must outlive the Wire.
    std::atomic<bool> const& server_silent;
};

/// A connection in libpq's pipeline mode. It sends messages of one or more statements and collects their
/// results. Values are bound and never part of a statement's text. Statements are prepared on first use. Only
/// one message at a time:
///
///     for (auto need = wire.send(statements); need != Wire::Need::nothing; need = wire.advance())
///         ...; // wait for the socket; call `check` each `check_interval`
///     return wire.take();
class Wire {
public:
    /// Maximum number of prepared statements. If one more is prepared, the oldest is dropped.
    static constexpr std::size_t statement_limit = 512;
    static constexpr std::chrono::milliseconds check_interval{200};

    enum class Need {
        nothing,       ///< the answer is complete
        read,          ///< call `advance` when the socket is readable
        read_or_write, ///< call `advance` when the socket is readable or writable
    };

    /// Throws pqxx::broken_connection.
    Wire(ConnectionHandle connection, WireOptions const& options);

    /// Starts a message. `read_only`: the transaction was declared READ ONLY, so a refused write (25006) does
    /// not mean that the server is a standby. Throws pqxx::broken_connection, and std::invalid_argument for
    /// U+0000 in a parameter. The caller must continue until `take`. Otherwise the connection counts as lost,
    /// because the next message would read the answers to this one.
    Need send(std::span<Statement const> statements, bool read_only = false);

    /// Writes and reads as much as possible without waiting. Throws pqxx::broken_connection.
    Need advance();

    /// Returns the rows of each statement. If a statement failed, throws the first failure. It is a
    /// pqxx::sql_error, or a subclass for a violated constraint, a missing privilege, a syntax error or an
    /// unknown column.
    std::vector<Rows> take();

    /// The number of statements of the last message that have succeeded so far. Valid until `take` or the
    /// next message.
    std::size_t completed() const noexcept { return rows_.size(); }

    /// Throws pqxx::broken_connection if the server has been silent for too long.
    void check();

    /// Marks the connection as lost. Throws pqxx::broken_connection.
    [[noreturn]] void lose(std::string const& why = "");

    /// Whether the connection is lost, according to the failures so far. A lost connection cannot be used any
    /// more.
    bool lost() const noexcept { return lost_; }

    /// If `lost`: the message of the server or of libpq.
    std::string const& why_lost() const noexcept { return why_lost_; }

    /// Whether bytes or the end of the connection have arrived although no answer is outstanding. If so, the
    /// server has ended the session. Call it only between messages.
    bool stale() const;

    int socket() const;

    /// For reading notifications.
    PGconn* connection() const noexcept { return connection_.get(); }

private:
    using Clock = std::chrono::steady_clock;

    /// A step of the current message. Each step has one result.
    struct Step {
        enum Kind { prepare, run, forget } kind;

        std::string_view sql; ///< of a `prepare` step: a key of `prepared_`
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
    /// Keys of `prepared_`, oldest first.
    std::deque<std::string_view> by_age_;
    /// Names of prepared statements that the server must still drop.
    std::deque<std::string> forgotten_;
    std::uint64_t named_ = 0;

    std::vector<Step> steps_;
    std::size_t answered_ = 0; ///< number of `steps_` with a result
    std::vector<char const*> values_;
    std::vector<Rows> rows_;         ///< of the statements so far
    std::string sqlstate_, message_; ///< of the first failure
    bool read_only_ = false;
    Clock::time_point heard_; ///< time of the last bytes from the server

    bool lost_ = false;
    std::string why_lost_ = "the connection broke";
};

/// The reason that is reported for a connection that the server closed while it was idle.
inline constexpr char const* lost_while_idle = "the server closed it while it was idle";

/// Sets the scopes for row-level security, for the transaction. The value of `$1` is `visible(scopes)`.
inline constexpr std::string_view set_scopes = "SELECT set_config('app.scopes', $1, true)";
Param visible(Scopes const& scopes);

/// The key of a scope's advisory lock.
constexpr std::int64_t scope_lock(core::ScopeId scope_id) noexcept
{
    return (std::int64_t{0x53} << 56) | core::number(scope_id);
}

} // namespace pg
