#pragma once
// Internal to pg: a connection that an I/O thread uses.

#include "pg/wire.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <span>

namespace pg {

namespace asio = boost::asio;

/// Sends several statements as one message, which is one implicit transaction, and waits once for all
/// results. Never blocks the thread. Use it on the thread of its executor, for one `run` at a time.
class AsyncConnection {
public:
    AsyncConnection(
        asio::any_io_executor const& executor, ConnectionHandle connection, WireOptions const& options);
    ~AsyncConnection();
    AsyncConnection(AsyncConnection const&) = delete;
    AsyncConnection& operator=(AsyncConnection const&) = delete;

    /// Runs `statements` in one transaction, which is committed when this returns. Returns the rows of each
    /// statement. Throws the exceptions of Wire::send and Wire::take.
    asio::awaitable<std::vector<Rows>> run(std::span<Statement const> statements);

    /// The number of statements that succeeded in the last `run` if that `run` failed. Their effects were
    /// rolled back. 0 after a `run` that succeeded.
    std::size_t completed() const noexcept;

    /// See Wire.
    bool lost() const noexcept;
    bool stale() const;

private:
    struct State;

    asio::awaitable<void> wait(Wire::Need need);

    std::shared_ptr<State> state_; ///< shared with the handler of the timer
};

} // namespace pg
