#pragma once
// Private to pg: a connection that an I/O thread drives.

#include "pg/wire.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <span>

namespace pg {

namespace asio = boost::asio;

/// Several statements are one message, one implicit transaction and one wait, and nothing blocks the thread.
/// Used by the thread of its executor, for one `run` at a time.
class Pipeline {
public:
    Pipeline(asio::any_io_executor const& executor, ConnectionHandle connection, WireOptions const& options);
    ~Pipeline();
    Pipeline(Pipeline const&) = delete;
    Pipeline& operator=(Pipeline const&) = delete;

    /// Runs `statements` in one transaction, committed when this returns; the rows of each. Throws as
    /// Wire::send and Wire::take.
    asio::awaitable<std::vector<Rows>> run(std::span<Statement const> statements);

    /// Statements of the last `run` that succeeded; those of one that failed are undone.
    std::size_t completed() const noexcept;

    /// See Wire.
    bool lost() const noexcept;
    bool stale() const;

private:
    struct State;

    asio::awaitable<void> wait(Wire::Need need);

    std::shared_ptr<State> state_; ///< shared with the timer's handler
};

} // namespace pg
