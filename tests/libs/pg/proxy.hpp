#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <atomic>
#include <optional>
#include <thread>

/// A loopback port in front of a PostgreSQL server, which can be moved to another one: what an address that
/// follows the primary does. Connections stay where they are.
///
/// With TLS settings it speaks TLS to its clients and sends as much as it can in each record, up to 16 KiB.
class Proxy {
public:
    /// `socket_buffer`: bytes that the kernel keeps for each of its sockets and directions (about); 0: its
    /// choice.
    explicit Proxy(
        unsigned short server, std::optional<boost::asio::ssl::context> tls = {}, int socket_buffer = 0);
    ~Proxy();
    Proxy(Proxy const&) = delete;
    Proxy& operator=(Proxy const&) = delete;

    unsigned short port() const { return port_; }

    /// Where later connections go.
    void move_to(unsigned short server) { server_ = server; }

    /// How often a client began to send after the server had, and at the beginning: round trips.
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
