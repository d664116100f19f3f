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

namespace http {

/// Times are kept by a sweep every half second (or a quarter of the shortest of them), so they end that much
/// later.
struct ServerOptions {
    std::string bind = "127.0.0.1"; ///< IPv4 or IPv6 address
    std::uint16_t port = 0;         ///< 0: any free port
    std::size_t header_limit = std::size_t{16} * 1024;
    std::chrono::milliseconds header_timeout{10'000}; ///< from a request's first byte to the end of its head
    std::chrono::milliseconds request_timeout{
        30'000}; ///< from the head to the end of the body, when read whole
    std::chrono::milliseconds body_idle_timeout{15'000}; ///< without a byte, for bodies that are streamed
    std::chrono::milliseconds idle_timeout{75'000};      ///< keep-alive between requests
    std::chrono::milliseconds write_timeout{30'000}; ///< without the client reading a byte of the response
    /// Bytes a second that a client takes of a response, over all the time it was waited for once that is
    /// longer than `write_timeout`; a slower one is cut off.
    std::size_t min_write_rate = 1024;
    std::size_t max_connections = 20'000; ///< beyond it the oldest idle ones are closed first
    /// Connections from one network (IPv4 /24, IPv6 /48); more are closed when they are accepted. 0: no
    /// limit.
    std::size_t max_per_network = 0;
    /// Whether an address is not counted, as that of a proxy before us. Called on the server's threads.
    std::function<bool(asio::ip::address const&)> is_exempt = [](asio::ip::address const&) { return false; };
};

/// An HTTP/1.1 server (RFC 9112): one acceptor with SO_REUSEPORT per io_context, nothing shared between them.
/// Refuses what could smuggle (Content-Length with Transfer-Encoding, repeated or malformed lengths,
/// obs-fold, bare CR): 400 and close.
class Server {
public:
    /// `contexts` are each run by one thread; they and `application` outlive the server and every connection,
    /// that is until `connections()` is 0 or the contexts have stopped. Binds at once; throws
    /// std::system_error when it cannot, also when another process listens on the port.
    Server(std::vector<asio::io_context*> const& contexts, ServerOptions const& options,
        Application& application);

    /// As `abort()`.
    ~Server();

    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    std::uint16_t port() const noexcept;

    /// Stops accepting; requests in flight are answered with `Connection: close`. An idle connection is kept
    /// half a second longer, since a request may be on its way. Safe from any thread; once.
    void drain();

    /// Connections still open.
    std::size_t connections() const noexcept;

    /// Closes what is left, whatever its state. Safe from any thread.
    void abort();

private:
    std::vector<std::shared_ptr<class Shard>> shards_;
    std::uint16_t port_ = 0;
};

} // namespace http
