#include "pg/async_connection.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace pg {

using asio::posix::descriptor_base;

struct AsyncConnection::State : std::enable_shared_from_this<State> {
    State(asio::any_io_executor const& executor, ConnectionHandle connection, WireOptions const& options)
        : wire(std::move(connection), options), socket(executor, wire.socket()), timer(executor)
    {
    }

    /// Checks the connection at intervals. Ends the wait for the socket if the server has been silent for too
    /// long.
    void watch()
    {
        timer.expires_after(Wire::check_interval);
        timer.async_wait([weak = weak_from_this()](boost::system::error_code cancelled) {
            auto const self = weak.lock();
            if (!self || cancelled || !self->running) return;
            try {
                self->wire.check();
                self->watch();
            } catch (std::exception const&) {
                self->socket.cancel(); // `wait` checks again, and throws
                self->watch();         // if that wait had already ended, the next wait needs a check, too
            }
        });
    }

    Wire wire;
    asio::posix::stream_descriptor socket;
    asio::steady_timer timer;
    bool running = false;
};

AsyncConnection::AsyncConnection(
    asio::any_io_executor const& executor, ConnectionHandle connection, WireOptions const& options)
    : state_(std::make_shared<State>(executor, std::move(connection), options))
{
}

AsyncConnection::~AsyncConnection()
{
    state_->running = false;
    state_->socket.release(); // libpq closes the socket
}

std::size_t AsyncConnection::completed() const noexcept
{
    return state_->wire.completed();
}

bool AsyncConnection::lost() const noexcept
{
    return state_->wire.lost();
}

bool AsyncConnection::stale() const
{
    return state_->wire.stale();
}

asio::awaitable<std::vector<Rows>> AsyncConnection::run(std::span<Statement const> statements)
{
    struct Running {
        State& state;

        explicit Running(State& s) : state(s) { state.running = true; }

        ~Running()
        {
            state.running = false;
            state.timer.cancel();
        }
    };

    Wire& wire = state_->wire;
    Wire::Need need = wire.send(statements);
    Running const running(*state_);
    state_->watch();
    for (; need != Wire::Need::nothing; need = wire.advance())
        co_await wait(need);
    co_return wire.take();
}

asio::awaitable<void> AsyncConnection::wait(Wire::Need need)
{
    using namespace asio::experimental::awaitable_operators;
    auto& socket = state_->socket;
    boost::system::error_code failed;
    if (need == Wire::Need::read) {
        co_await socket.async_wait(
            descriptor_base::wait_read, asio::redirect_error(asio::use_awaitable, failed));
    } else {
        boost::system::error_code unwritable;
        co_await (socket.async_wait(
                      descriptor_base::wait_read, asio::redirect_error(asio::use_awaitable, failed)) ||
                  socket.async_wait(
                      descriptor_base::wait_write, asio::redirect_error(asio::use_awaitable, unwritable)));
        if (!unwritable) failed = {};
    }
    if (!failed) co_return;
    state_->wire.check();
    state_->wire.lose("the wait for the server failed");
}

} // namespace pg
