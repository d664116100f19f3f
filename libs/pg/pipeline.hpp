#pragma once
// Private to pg: a connection that an I/O thread drives.

#include "pg/database.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pg {

namespace asio = boost::asio;

/// A statement with its parameters; `sql` is one of a bounded set of texts.
struct Statement {
    std::string_view sql;
    std::span<Param const> params;
};

/// A connection in libpq's pipeline mode: several statements are one message, one implicit transaction and
/// one wait, and nothing blocks the thread. Used by the thread of its executor, for one `run` at a time.
class Pipeline {
public:
    /// Connects; blocks, so not on an I/O thread. Throws pqxx::broken_connection.
    static ConnectionHandle connect(std::string const& conninfo);

    /// `silence_limit`: a server that has not answered by then is taken for dead. `prepares`: whether
    /// statements are kept prepared, which takes a session that nobody else gets.
    Pipeline(asio::any_io_executor const& executor, ConnectionHandle connection,
        std::chrono::milliseconds silence_limit, bool prepares);
    ~Pipeline();
    Pipeline(Pipeline const&) = delete;
    Pipeline& operator=(Pipeline const&) = delete;

    /// Runs `statements` in one transaction, committed when this returns; the rows of the last. Throws
    /// pqxx::sql_error (or the class of a broken constraint), pqxx::broken_connection, and
    /// std::invalid_argument for U+0000 in a parameter.
    asio::awaitable<Rows> run(std::span<Statement const> statements);

    /// Whether the server is gone, as the failures so far tell. Nothing works any more then.
    bool lost() const noexcept { return lost_; }

    /// Whether something came, or the end, although nothing was asked: the server has let go of us.
    bool stale() const;

private:
    struct Outcome;

    void send(std::span<Statement const> statements);
    void send(Statement const& statement);
    std::string const& name_of(std::string_view sql);
    asio::awaitable<void> flush();
    asio::awaitable<Outcome> receive();
    asio::awaitable<void> wait(asio::posix::stream_descriptor::wait_type what);
    void cut_when_silent();
    [[noreturn]] void lose();
    void note(std::string_view sqlstate, std::string_view message);

    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    ConnectionHandle connection_;
    std::shared_ptr<asio::posix::stream_descriptor> socket_; ///< shared with the timer's handler
    asio::steady_timer silence_;
    std::chrono::milliseconds const silence_limit_;
    bool const prepares_;
    std::unordered_map<std::string, std::string, Hash, std::equal_to<>> prepared_; ///< text to name
    std::vector<std::string_view> preparing_; ///< in the message under way
    std::uint64_t named_ = 0;
    bool lost_ = false;
};

} // namespace pg
