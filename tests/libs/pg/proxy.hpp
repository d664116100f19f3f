#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <atomic>
#include <optional>
#include <thread>

/// A loopback port in front of a PostgreSQL server. It can be redirected to another server, like an address
/// that follows the primary. Existing connections are kept.
///
/// With TLS settings it uses TLS for its clients and fills each record as far as possible, up to 16 KiB.
class Proxy {
public:
    /// `socket_buffer` is the approximate size in bytes of the kernel's buffer per socket and direction. 0
    /// means the system's default.
    explicit Proxy(
        unsigned short server, std::optional<boost::asio::ssl::context> tls = {}, int socket_buffer = 0);
    ~Proxy();
    Proxy(Proxy const&) = delete;
    Proxy& operator=(Proxy const&) = delete;

    unsigned short port() const { return port_; }

    /// Sets the server of later connections.
    void move_to(unsigned short server) { server_ = server; }

    /// The number of round trips. A round trip begins when a client sends its first bytes, or its first bytes
    /// after the server has sent some.
    unsigned turns() const { return turns_; }

private:
    using Tcp = boost::asio::ip::tcp;

    boost::asio::awaitable<void> accept();
    boost::asio::awaitable<void> serve(Tcp::socket client);
    boost::asio::awaitable<void> serve_tls(Tcp::socket client, Tcp::socket server);
    template <class Socket> void limit_buffers(Socket& socket) const;

    boost::asio::io_context ioc_{1};
    std::optional<boost::asio::ssl::context> tls_;
    std::atomic<unsigned short> server_;
    int const socket_buffer_;
    std::atomic<unsigned> turns_ = 0;
    Tcp::acceptor acceptor_{ioc_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
    unsigned short const port_ = acceptor_.local_endpoint().port();
    std::thread thread_;
};
