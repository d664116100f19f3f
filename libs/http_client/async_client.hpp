#pragma once

#include "http_client/client.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace http_client {

/// The result of a request.
using Result = std::variant<Response, Error>;

/// HTTP/1.1 client on libcurl's multi interface, with one thread for thousands of requests. No request blocks
/// a thread, not even one whose host name cannot be resolved (c-ares). Requests have the restrictions of
/// Client: the address policy on every socket, no proxy, no cookies, verified certificates, limited redirects
/// and response bytes. HTTP/2 is not used, so that the timeout of a request also ends its connection.
///
/// The caller must limit the number of requests in flight. At most `max_idle_connections` idle connections
/// are kept.
class AsyncClient {
public:
    /// Called once for each request, on the client's thread. Must neither block nor throw. May call `send`.
    using Done = std::function<void(Result)>;

    static constexpr long max_idle_connections = 256;

    /// Starts the thread. `dns_servers` is a list `ip[:port],...`. If it is empty, the servers in
    /// /etc/resolv.conf are used.
    explicit AsyncClient(ClientOptions options, std::string const& dns_servers = {});

    /// Calls `stop()`.
    ~AsyncClient();
    AsyncClient(AsyncClient const&) = delete;
    AsyncClient& operator=(AsyncClient const&) = delete;

    /// Starts a request and returns at once. Thread-safe. `request.stop` and `request.stop_grace` take effect
    /// without delay. `request.timeout` includes name resolution, which may take up to
    /// `request.connect_timeout`. Must not be called after `stop()`.
    void send(Request request, Done done);

    /// The number of requests in flight.
    std::size_t in_flight() const noexcept;

    /// Ends all requests in flight with an Error of kind `stopped`, then ends the thread. Must not be
    /// called on the client's thread.
    void stop() noexcept;

    AddressPolicy const& addresses() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace http_client
