// A minimal HTTP server on Beast. The benchmarks compare libs/http_server with this server.
//
//     bare_server --port N --threads N
//
// Answers every GET with the same 285 bytes of JSON. It has one io_context per thread (SO_REUSEPORT), no
// timeouts and no limits.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/program_options.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace options = boost::program_options;
using asio::ip::tcp;
using boost::system::error_code;

static std::string json_of(std::size_t size)
{
    std::string json = R"({"id":"0190b3c2-7d5e-7c3a-9f00-6b2f7f1e5a11","title":")";
    json.append(size - json.size() - 2, 'x');
    return json + "\"}";
}

static std::string answer(http::request<http::string_body> const& request, std::string const& json)
{
    bool const get = request.method() == http::verb::get;
    std::string_view const body = get ? std::string_view(json) : std::string_view();
    std::string out;
    out.reserve(160 + body.size());
    out += get ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 405 Method Not Allowed\r\n";
    out += "Content-Type: application/json\r\nContent-Length: ";
    out += std::to_string(body.size());
    out += request.keep_alive() ? "\r\n\r\n" : "\r\nConnection: close\r\n\r\n";
    out += body;
    return out;
}

static asio::awaitable<void> serve(tcp::socket socket, std::string const& json)
{
    socket.non_blocking(true);
    boost::beast::flat_buffer buffer;
    for (;;) {
        http::request_parser<http::string_body> parser;
        parser.eager(true);
        while (!parser.is_done()) {
            error_code ec = http::error::need_more;
            if (buffer.size() > 0) buffer.consume(parser.put(buffer.data(), ec));
            if (!ec) continue;
            if (ec != http::error::need_more) co_return;
            error_code failed;
            auto const read = co_await socket.async_read_some(
                buffer.prepare(4096), asio::redirect_error(asio::use_awaitable, failed));
            if (failed) co_return;
            buffer.commit(read);
        }
        http::request<http::string_body> const request = parser.release();
        std::string const out = answer(request, json);
        error_code ec;
        std::size_t const sent = socket.write_some(asio::buffer(out), ec);
        if (ec && ec != asio::error::would_block) co_return;
        if (sent < out.size()) {
            co_await asio::async_write(
                socket, asio::buffer(out) + sent, asio::redirect_error(asio::use_awaitable, ec));
            if (ec) co_return;
        }
        if (!request.keep_alive()) co_return;
    }
}

static asio::awaitable<void> accept(tcp::acceptor acceptor, std::string const& json)
{
    for (;;) {
        tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
        socket.set_option(tcp::no_delay(true));
        asio::co_spawn(socket.get_executor(), serve(std::move(socket), json), asio::detached);
    }
}

static tcp::acceptor listen(asio::io_context& context, std::uint16_t port)
{
    tcp::acceptor acceptor(context);
    acceptor.open(tcp::v4());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    int const on = 1;
    ::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    acceptor.bind({asio::ip::address_v4::loopback(), port});
    acceptor.listen();
    return acceptor;
}

int main(int argc, char** argv)
{
    std::uint16_t port = 0;
    unsigned threads = 1;
    options::options_description arguments;
    arguments.add_options()("port", options::value(&port)->required())("threads", options::value(&threads));
    options::variables_map given;
    options::store(options::parse_command_line(argc, argv, arguments), given);
    options::notify(given);

    std::string const json = json_of(285);
    std::vector<std::unique_ptr<asio::io_context>> contexts;
    for (unsigned i = 0; i < threads; ++i) {
        auto& context = *contexts.emplace_back(std::make_unique<asio::io_context>(1));
        asio::co_spawn(context, accept(listen(context, port), json), asio::detached);
    }
    asio::signal_set signals(*contexts.front(), SIGINT, SIGTERM);
    signals.async_wait([&](error_code, int) {
        for (auto& context : contexts)
            context->stop();
    });
    std::vector<std::jthread> running;
    for (auto& context : contexts)
        running.emplace_back([&context] { context->run(); });
    std::cout << "listening on 127.0.0.1:" << port << std::endl;
}
