#pragma once

#include "http/client.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace http {

/// What a request came to.
using OutboundResult = std::variant<OutboundResponse, OutboundError>;

/// HTTP/1.1 to other servers through libcurl's multi interface, on one thread of its own: thousands of
/// requests in flight, none of which holds a thread, nor does a name that cannot be resolved (c-ares). Each
/// request is held to what Client's are: the same address policy on every socket, no proxy, no cookies,
/// certificates verified, redirects and response bytes limited. HTTP/2 is not offered, so that an attempt
/// that timed out takes its connection with it.
///
/// The caller bounds how many requests there are. Idle connections are kept up to `max_idle_connections`.
class AsyncClient {
public:
    /// Called once for each request, on the client's thread; does not block and does not throw. It may send
    /// further requests.
    using Done = std::function<void(OutboundResult)>;

    static constexpr long max_idle_connections = 256;

    /// Starts the thread. `dns_servers`: `ip[:port],...`; empty: those of /etc/resolv.conf.
    explicit AsyncClient(ClientOptions options, std::string const& dns_servers = {});

    /// As `stop()`.
    ~AsyncClient();
    AsyncClient(AsyncClient const&) = delete;
    AsyncClient& operator=(AsyncClient const&) = delete;

    /// Begins a request; returns at once. Any thread. Its stop token and farewell are obeyed at once, and its
    /// timeout includes the resolution of the name, which may take `connect_timeout`. Not after `stop()`.
    void send(OutboundRequest request, Done done);

    /// Requests that were begun and have not ended.
    std::size_t in_flight() const noexcept;

    /// Ends what is in flight as `stopped`, and the thread. Not from the client's thread.
    void stop() noexcept;

    AddressPolicy const& addresses() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace http
