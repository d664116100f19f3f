#pragma once
// Private to pg: what a database thread works with.

#include "pg/database.hpp"

#include <pqxx/connection>
#include <pqxx/nontransaction>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace pg {

/// Lets another thread end a wait for a server that has gone silent: libpq's calls have no timeout of their
/// own.
class Watch {
public:
    using Clock = std::chrono::steady_clock;

    void attach(int socket);
    void detach();

    /// Marks one exchange with the server.
    class Exchange {
    public:
        explicit Exchange(Watch& watch) : watch_(watch)
        {
            watch_.since_ = Clock::now().time_since_epoch().count();
        }

        ~Exchange() { watch_.since_ = 0; }

        Exchange(Exchange const&) = delete;
        Exchange& operator=(Exchange const&) = delete;

    private:
        Watch& watch_;
    };

    /// Breaks the connection when an exchange has been going on for longer than `limit`.
    void cut_after(Clock::duration limit);

private:
    std::mutex mutex_;
    int socket_ = -1;
    std::atomic<Clock::rep> since_ = 0; ///< 0: nothing is waited for
};

/// What a failed exchange with the server means for the caller.
enum class Fault {
    retry,       ///< serialization failure, deadlock or a void plan: may work when run again
    unavailable, ///< the server's trouble, not the statement's
    other,       ///< the caller's to judge
};

/// What `failure` means, as far as it tells by itself.
Fault fault_of(std::exception_ptr const& failure);

/// Whether the server ends the session with this SQLSTATE.
bool ends_session(std::string_view sqlstate);

/// Whether the server refused a prepared statement, before it did anything, because a migration has changed
/// the type of a column that it returns. Under its name it never works again; prepared anew it does.
bool is_void_plan(std::string_view sqlstate, std::string_view message);

/// Throws std::invalid_argument for U+0000, which PostgreSQL's text does not hold.
void require_text(std::span<Param const> params);

/// One connection and the statements prepared on it. Used by one thread. Where a pooler shares sessions, it
/// prepares none: what is prepared belongs to a session that others get.
class Connection {
public:
    /// Statements kept prepared; beyond, the oldest is dropped.
    static constexpr std::size_t statement_limit = 512;

    /// Connects, or throws pqxx::broken_connection. `transaction_settings`: "" unless sessions are shared;
    /// outlives the connection.
    Connection(std::string const& conninfo, Watch& watch, std::string const& transaction_settings);
    ~Connection();
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;

    /// The call of `sql` as text, `EXECUTE s12('…',NULL)`, having prepared it unless it is. What follows a
    /// `;` here is one message and one round trip.
    std::string call(std::string_view sql, std::span<Param const> params);

    /// Sends one message of one or more statements; the result of the last.
    pqxx::result send(std::string const& message);

    /// What runs first in each transaction; "" unless sessions are shared.
    std::string const& transaction_settings() const noexcept { return transaction_settings_; }

    /// Runs one statement that is not prepared; one message.
    pqxx::result run_once(std::string_view sql, std::span<Param const> params);

    /// Whether something came, or the end, although nothing was asked: the server has let go of us.
    bool stale() const;

    /// Whether the server is gone, as the failures so far tell. Nothing works any more then.
    bool lost() const { return lost_ || !connection_.is_open(); }

    /// What the server or libpq said of it, once `lost`.
    std::string const& why_lost() const noexcept { return why_lost_; }

    /// What a failure of `call` or `send` means for the caller.
    Fault fault_of(std::exception_ptr const& failure) const;

private:
    template <class Ask> pqxx::result exchange(Ask ask);
    void note(std::exception_ptr const& failure);
    void lose(char const* why);
    std::string const& name_of(std::string_view sql);
    void forget_oldest();
    void forget_void_plans();

    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    Watch& watch_;
    std::string const& transaction_settings_;
    pqxx::connection connection_;
    pqxx::nontransaction session_; ///< sends what it is given and adds nothing
    std::unordered_map<std::string, std::string, Hash, std::equal_to<>> statements_; ///< text to name
    std::deque<std::string> by_age_;                                                 ///< their texts
    std::uint64_t named_ = 0;
    bool plans_void_ = false; ///< to be forgotten before the next statement
    bool lost_ = false;
    std::string why_lost_ = "the connection broke";
};

/// Of a connection that was found ended when it was looked at.
inline constexpr char const* lost_while_idle = "the server ended it while it was idle";

/// `SELECT set_config('app.scopes','1,2',true);`
std::string select_scopes(Scopes const& scopes);

/// The key of the scope's advisory lock.
constexpr std::int64_t scope_lock(std::int64_t scope_id) noexcept
{
    return (std::int64_t{0x53} << 56) | scope_id;
}

} // namespace pg
