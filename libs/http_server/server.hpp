#pragma once

#include "http/message.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace http_server {

namespace asio = boost::asio;

/// The server checks the time limits at intervals of half a second, or of a quarter of the shortest limit if
/// that is shorter. So each limit may be exceeded by up to two intervals.
struct ServerOptions {
    std::string bind = "127.0.0.1"; ///< IPv4 or IPv6 address
    std::uint16_t port = 0;         ///< 0: any free port
    std::size_t header_limit = std::size_t{16} * 1024;
    /// The time limit from the first byte of a request to the end of its head.
    std::chrono::milliseconds header_timeout{10'000};
    /// The time limit from the end of the head to the end of the body, if the body is read as a whole.
    std::chrono::milliseconds request_timeout{30'000};
    std::chrono::milliseconds body_idle_timeout{15'000}; ///< maximum pause within a streamed body
    std::chrono::milliseconds idle_timeout{75'000}; ///< maximum time between two requests of a connection
    /// Maximum time in which the client reads no byte of the response.
    std::chrono::milliseconds write_timeout{30'000};
    /// The minimum rate, in bytes per second, at which a client must take a response. The server checks the
    /// rate once it has waited for the client for more than `write_timeout` in total. A slower client is
    /// disconnected.
    std::size_t min_write_rate = 1024;
    /// The maximum number of connections. Beyond it, the server closes the longest idle connection for each
    /// new one. If no connection is idle, the new one gets 503.
    std::size_t max_connections = 20'000;
    /// The maximum number of connections from one network (IPv4 /24, IPv6 /48). Further connections are
    /// closed when accepted. 0 means no limit.
    std::size_t max_per_network = 0;
    /// Whether an address, such as that of a trusted proxy, is exempt from `max_per_network`. Called on the
    /// server's threads.
    std::function<bool(asio::ip::address const&)> is_exempt = [](asio::ip::address const&) { return false; };
};

/// An HTTP/1.1 server (RFC 9112) with one acceptor (SO_REUSEPORT) per io_context. The contexts share no state
/// except the numbers of connections per network. Messages that could be used for request smuggling
/// (Content-Length with Transfer-Encoding, repeated or malformed lengths, obs-fold, bare CR) get 400, and the
/// connection is closed.
class Server {
public:
    /// Each of `contexts` must be run by exactly one thread. `contexts` and `application` must outlive the
    /// server and every connection, which means until `connections()` is 0 or the contexts have stopped.
    /// Binds the port. Throws std::system_error if this fails, for example because another process listens on
    /// the port.
    Server(std::vector<asio::io_context*> const& contexts, ServerOptions const& options,
        http::Application& application);

    /// Calls `abort()`.
    ~Server();

    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    std::uint16_t port() const noexcept;

    /// Stops accepting. Requests in flight are answered with `Connection: close`. Idle connections stay open
    /// for another half second, since a request may be on its way. Thread-safe. Call it once.
    void drain();

    /// The number of open connections.
    std::size_t connections() const noexcept;

    /// Closes all remaining connections. Thread-safe.
    void abort();

private:
    std::vector<std::shared_ptr<class Shard>> shards_;
    std::uint16_t port_ = 0;
};

} // namespace http_server
