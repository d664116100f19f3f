#pragma once
// Internal to the HTTP/2 client: one connection.

#include "http2_client/client.hpp"
#include "http2_client/protocol.hpp"
#include "http2_client/tls.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <optional>
#include <vector>

namespace http2_client {

class Context {
public:
    explicit Context(std::string const& ca_file)
        : tls(make_tls_context(ca_file)), input(std::size_t{64} * 1024), decrypted(std::size_t{16} * 1024)
    {
    }

    TlsContext const tls;
    std::vector<char> input;     ///< bytes just read
    std::vector<char> decrypted; ///< plaintext of these bytes
    std::string plain;           ///< plaintext to be encrypted
};

/// A socket with a Protocol. After `start`, the connection connects, reads and writes without further calls.
/// It tells its owner when it ends.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    /// The owner of a connection. The owner's functions may use the connection, but must not destroy it.
    class Owner {
    public:
        virtual ~Owner() = default;

        /// Submits up to `count` requests to `protocol`, limited by the number of waiting requests and of
        /// free streams.
        virtual void fill(Protocol& protocol, std::size_t count, SteadyTime now) = 0;

        /// Called when the connection can take requests, and when it no longer can.
        virtual void changed(Connection const& connection) = 0;

        /// Called when the connection has ended. The connection must not be used again. `detail` is for logs.
        virtual void ended(Connection& connection, std::string_view detail) = 0;
    };

    /// `owner` must stay valid until `detach`.
    Connection(asio::any_io_executor const& executor, std::shared_ptr<Context> context,
        ClientOptions const& options, Owner& owner);

    void start();

    /// Sends the owner's requests and pending protocol frames.
    void pump();

    /// Checks the deadlines. Closes the connection if it had no requests for `idle_timeout`.
    void tick(SteadyTime now, std::chrono::milliseconds idle_timeout);

    /// Sends GOAWAY and closes the connection. Requests in flight end as lost. The owner is not called any
    /// more.
    void detach();

    bool dead() const noexcept { return dead_; }

    /// Whether the connection takes requests now, or will take requests once it is ready.
    bool usable() const noexcept { return !dead_ && !protocol_.draining(); }

    /// Whether the server has sent GOAWAY, or the connection can open no further stream.
    bool draining() const noexcept { return was_draining_; }

    /// Of a connection that has ended: whether the server had sent GOAWAY before, and no request was lost.
    bool announced() const noexcept { return announced_; }

    Protocol const& protocol() const noexcept { return protocol_; }

private:
    using Socket = asio::ip::tcp::socket;

    asio::awaitable<void> run();
    asio::awaitable<std::string> establish();
    asio::awaitable<std::string> connect(asio::ip::tcp::resolver::results_type const& endpoints);
    asio::awaitable<std::string> handshake();
    asio::awaitable<void> wait(Socket::wait_type what);
    bool produce();
    bool write();
    void read();
    bool receive(std::span<char const> bytes);
    bool decrypt();
    void watch_protocol();
    void await_writable();
    void fail(std::string_view detail);
    void close() noexcept;

    Socket socket_;
    asio::ip::tcp::resolver resolver_;
    std::shared_ptr<Context> const context_;
    ClientOptions const& options_;
    Owner* owner_;
    std::optional<Tls> tls_;
    Protocol protocol_;
    std::string out_;      ///< bytes for the socket
    std::size_t sent_ = 0; ///< bytes of `out_` that were sent
    SteadyTime born_ = std::chrono::steady_clock::now();
    SteadyTime heard_ = born_;                    ///< when bytes last arrived
    SteadyTime used_ = born_;                     ///< when a request was last in flight
    SteadyTime pinged_ = born_;                   ///< when the pending PING was sent
    SteadyTime next_address_ = SteadyTime::max(); ///< when to try another address of the host
    bool open_ = false;                           ///< frames may be sent
    bool writing_ = false;                        ///< waits until the socket is writable
    bool dead_ = false;
    bool was_ready_ = false;
    bool was_draining_ = false;
    bool announced_ = false;
};

} // namespace http2_client
