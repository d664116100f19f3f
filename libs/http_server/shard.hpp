#pragma once

#include "core/keyed_limiter.hpp"
#include "http_server/connection.hpp"
#include "http_server/server.hpp"
#include "http_server/wire.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <random>

namespace http_server {

using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, asio::io_context::executor_type>;

/// State of one of the server's threads: its acceptor, connections and spare memory. Functions must be called
/// on that thread, unless stated otherwise. Internal to the server.
class Shard : public std::enable_shared_from_this<Shard> {
public:
    /// The constructor may be called on any thread, and so may the destructor once the context has stopped.
    /// `networks` counts the connections per network, and all shards share it. If null, there is no limit per
    /// network.
    Shard(asio::io_context& context, Acceptor acceptor, ServerOptions const& options,
        std::size_t max_connections, std::shared_ptr<core::KeyedLimiter> networks,
        http::Application& application);

    void start();
    void drain();
    void abort();

    /// Thread-safe.
    std::size_t connections() const noexcept { return count_.load(std::memory_order_relaxed); }

    asio::io_context& context() noexcept { return context_; }

    // The following functions are for connections.
    http::Application& application() noexcept { return application_; }

    ServerOptions const& options() const noexcept { return options_; }

    bool draining() const noexcept { return draining_; }

    void add(Connection& connection);
    void remove() noexcept; ///< called after the connection was unlinked

    /// Called when `connection` begins to wait for a request. Returns the deadline of the wait.
    SteadyTime enter_idle(Connection& connection);

    /// Counts one more idle connection that keeps its buffer. Returns false if the maximum is reached. If the
    /// result is true, the connection must call `leave_warm` when it no longer keeps its buffer.
    bool enter_warm() noexcept;

    void leave_warm() noexcept { --warm_; }

    /// The time of the last sweep.
    SteadyTime now() const noexcept { return now_; }

    /// A deadline at least `delay` from now.
    SteadyTime after(std::chrono::milliseconds delay) const noexcept { return now_ + period_ + delay; }

    std::unique_ptr<RequestSlot> take_slot();
    void give_back(std::unique_ptr<RequestSlot> slot);

    std::string_view date_line();
    std::string make_request_id(); ///< 16 hexadecimal digits

private:
    asio::awaitable<void> accept_all(std::shared_ptr<Shard> self);
    void accept_pending();
    void admit(Socket socket, asio::ip::tcp::endpoint const& peer);
    void refuse_connection(Socket socket);
    bool evict_oldest_idle();
    void arm_sweep();
    void sweep();

    using Connections = boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>>;
    using IdleHook = boost::intrusive::member_hook<Connection, boost::intrusive::list_member_hook<AutoUnlink>,
        &Connection::idle_hook>;
    using IdleConnections =
        boost::intrusive::list<Connection, IdleHook, boost::intrusive::constant_time_size<false>>;

    asio::io_context& context_;
    Acceptor acceptor_;
    asio::steady_timer sweep_timer_;
    asio::steady_timer accept_pause_;
    ServerOptions const options_;
    std::size_t const max_connections_;
    std::shared_ptr<core::KeyedLimiter> const networks_;
    http::Application& application_;
    Connections connections_;
    IdleConnections idle_; ///< the connection that has been idle longest is first
    std::vector<std::unique_ptr<RequestSlot>> spare_;
    std::atomic<std::size_t> count_{0};
    std::size_t warm_ = 0;
    std::chrono::milliseconds period_;
    SteadyTime now_;
    DateLine date_;
    std::mt19937_64 random_;
    bool draining_ = false;
};

} // namespace http_server
