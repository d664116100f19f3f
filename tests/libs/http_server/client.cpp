#include "client.hpp"

#include "http/problem.hpp"
#include "support/eventually.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace test {

std::string Answer::header(std::string const& name) const
{
    auto const found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
}

Client::Client(std::uint16_t port, int receive_buffer, char const* source)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0))
{
    if (receive_buffer > 0)
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    int const on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    timeval const patience{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (source != nullptr) {
        address.sin_addr.s_addr = ::inet_addr(source);
        if (::bind(socket_, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
            throw std::system_error(errno, std::system_category(), "bind");
    }
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) {
        int const error = errno;
        ::close(socket_);
        throw std::system_error(error, std::system_category(), "connect");
    }
}

Client::~Client()
{
    if (socket_ >= 0) ::close(socket_);
}

Client::Client(Client&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), pending_(std::move(other.pending_))
{
}

bool Client::send(std::string_view bytes)
{
    while (!bytes.empty()) {
        auto const sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void Client::finish()
{
    ::shutdown(socket_, SHUT_WR);
}

void Client::reset()
{
    linger const now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    ::close(std::exchange(socket_, -1));
}

bool Client::more()
{
    char buffer[65536];
    auto const size = ::recv(socket_, buffer, sizeof buffer, 0);
    if (size <= 0) return false;
    pending_.append(buffer, static_cast<std::size_t>(size));
    return true;
}

std::string Client::take(std::size_t size)
{
    while (pending_.size() < size && more()) {
    }
    std::string const taken = pending_.substr(0, size);
    pending_.erase(0, taken.size());
    return taken;
}

std::string Client::take_line()
{
    std::size_t end = 0;
    while ((end = pending_.find("\r\n")) == std::string::npos) {
        if (!more()) return {};
    }
    std::string const line = pending_.substr(0, end);
    pending_.erase(0, end + 2);
    return line;
}

bool Client::read_chunks(std::string& body)
{
    for (;;) {
        std::string const line = take_line();
        if (line.empty()) return false;
        auto const size = std::stoul(line, nullptr, 16);
        if (size == 0) return take(2) == "\r\n";
        std::string const chunk = take(size);
        body += chunk;
        if (chunk.size() < size || take(2) != "\r\n") return false;
    }
}

Answer Client::read(bool head)
{
    Answer answer;
    std::string const status = take_line();
    if (!status.starts_with("HTTP/1.1 ")) return answer;
    for (;;) {
        while (pending_.find("\r\n") == std::string::npos) {
            if (!more()) return answer;
        }
        std::string const line = take_line();
        if (line.empty()) break;
        auto const colon = line.find(": ");
        std::string name = line.substr(0, colon);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        answer.headers.emplace(name, line.substr(colon + 2));
    }
    answer.status = std::stoi(status.substr(9, 3));
    if (head || answer.status == 204 || answer.status == 304 || answer.status == 100) {
        answer.complete = true;
    } else if (answer.headers.contains("content-length")) {
        auto const length = std::stoul(answer.header("content-length"));
        answer.body = take(length);
        answer.complete = answer.body.size() == length;
    } else if (answer.header("transfer-encoding") == "chunked") {
        answer.complete = read_chunks(answer.body);
    } else {
        while (more()) {
        }
        answer.body = std::exchange(pending_, {});
        answer.complete = true;
    }
    return answer;
}

Answer Client::get(std::string_view path)
{
    send("GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n\r\n");
    return read();
}

std::string Client::read_bytes(std::size_t size)
{
    if (pending_.empty()) {
        std::string bytes(size, '\0');
        auto const count = ::recv(socket_, bytes.data(), size, 0);
        bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        return bytes;
    }
    return take(std::min(size, pending_.size()));
}

bool Client::ends()
{
    if (!pending_.empty()) return false;
    char byte = 0;
    auto const size = ::recv(socket_, &byte, 1, 0);
    return size == 0 || (size < 0 && errno == ECONNRESET);
}

Server::Server(Handler handler, http_server::ServerOptions options, unsigned threads)
    : handler_(std::move(handler))
{
    std::vector<asio::io_context*> contexts;
    for (unsigned i = 0; i < threads; ++i)
        contexts.push_back(contexts_.emplace_back(std::make_unique<asio::io_context>(1)).get());
    server_ = std::make_unique<http_server::Server>(contexts, std::move(options), *this);
    running_ = threads;
    for (auto* const context : contexts) {
        threads_.emplace_back([this, context] {
            context->run();
            --running_;
        });
    }
}

Server::~Server()
{
    server_->abort();
    if (!joins()) {
        for (auto const& context : contexts_)
            context->stop();
    }
    for (auto& thread : threads_)
        thread.join();
}

bool Server::joins()
{
    return testing::eventually([this] { return running_ == 0; });
}

std::vector<std::string> Server::protocol_errors() const
{
    std::scoped_lock const lock(mutex_);
    return protocol_errors_;
}

void Server::on_protocol_error(std::string_view code) noexcept
{
    std::scoped_lock const lock(mutex_);
    protocol_errors_.emplace_back(code);
}

asio::awaitable<http::Response> Server::echo(http::Request& request)
{
    try {
        co_await request.body_reader->read_all(request.body, 1 << 20);
    } catch (core::Error const& error) {
        co_return http::problem(error, "test");
    }
    std::string text(request.method_text);
    text += ' ';
    text += request.path;
    if (!request.query.empty()) text += "?" + std::string(request.query);
    text += ' ' + request.body;
    co_return http::Response{.body = std::move(text), .content_type = "text/plain"};
}

} // namespace test
