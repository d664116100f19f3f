#include "proxy.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <chrono>

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;

namespace {

constexpr std::size_t record_size = 16 * 1024;
/// If no more bytes arrive from the server within this time, the proxy forwards a TLS record that is not
/// full.
constexpr std::chrono::milliseconds gathering{2};

/// `arrived` is called for each block before it is forwarded.
template <class From, class To, class Arrived>
asio::awaitable<void> relay(From& from, To& to, Arrived const& arrived)
{
    std::array<char, record_size> block;
    for (;;) {
        auto const size = co_await from.async_read_some(asio::buffer(block), asio::use_awaitable);
        arrived();
        co_await asio::async_write(to, asio::buffer(block, size), asio::use_awaitable);
    }
}

/// Like `relay`, in blocks that are as large as possible.
template <class To> asio::awaitable<void> relay_blocks(asio::ip::tcp::socket& from, To& to)
{
    std::array<char, record_size> block;
    asio::steady_timer timer(from.get_executor());
    for (;;) {
        auto size = co_await from.async_read_some(asio::buffer(block), asio::use_awaitable);
        while (size < block.size()) {
            timer.expires_after(gathering);
            co_await timer.async_wait(asio::use_awaitable);
            if (from.available() == 0) break;
            size += co_await from.async_read_some(asio::buffer(block) + size, asio::use_awaitable);
        }
        co_await asio::async_write(to, asio::buffer(block, size), asio::use_awaitable);
    }
}

} // namespace

Proxy::Proxy(unsigned short server, std::optional<asio::ssl::context> tls, int socket_buffer)
    : tls_(std::move(tls)), server_(server), socket_buffer_(socket_buffer)
{
    limit_buffers(acceptor_); // accepted sockets inherit the sizes
    asio::co_spawn(ioc_, accept(), asio::detached);
    thread_ = std::thread([this] { ioc_.run(); });
}

Proxy::~Proxy()
{
    ioc_.stop();
    thread_.join();
}

template <class Socket> void Proxy::limit_buffers(Socket& socket) const
{
    if (socket_buffer_ == 0) return;
    socket.set_option(asio::socket_base::receive_buffer_size(socket_buffer_));
    socket.set_option(asio::socket_base::send_buffer_size(socket_buffer_));
}

asio::awaitable<void> Proxy::accept()
{
    for (;;) {
        Tcp::socket client = co_await acceptor_.async_accept(asio::use_awaitable);
        asio::co_spawn(ioc_, serve(std::move(client)), [](std::exception_ptr) {}); // one side has closed
    }
}

asio::awaitable<void> Proxy::serve(Tcp::socket client)
{
    Tcp::socket server(ioc_, Tcp::v4());
    limit_buffers(server);
    co_await server.async_connect({asio::ip::address_v4::loopback(), server_}, asio::use_awaitable);
    if (tls_) {
        co_await serve_tls(std::move(client), std::move(server));
        co_return;
    }
    bool asked = false; // whether the client was the last to send
    auto const from_client = [&] { turns_ += std::exchange(asked, true) ? 0 : 1; };
    auto const from_server = [&] { asked = false; };
    co_await (relay(client, server, from_client) && relay(server, client, from_server));
}

asio::awaitable<void> Proxy::serve_tls(Tcp::socket client, Tcp::socket server)
{
    std::array<char, 8> request; // the SSLRequest message
    co_await asio::async_read(client, asio::buffer(request), asio::use_awaitable);
    co_await asio::async_write(client, asio::buffer("S", 1), asio::use_awaitable);
    asio::ssl::stream<Tcp::socket> stream(std::move(client), *tls_);
    co_await stream.async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
    co_await (relay(stream, server, [] {}) && relay_blocks(server, stream));
}
