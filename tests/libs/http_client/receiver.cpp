#include "receiver.hpp"

#include "listener.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <fstream>
#include <iomanip>
#include <netinet/in.h>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace testing {

namespace {

bool fill(int socket, std::string& buffer)
{
    char chunk[16 * 1024];
    auto const got = ::recv(socket, static_cast<char*>(chunk), sizeof chunk, 0);
    if (got <= 0) return false;
    buffer.append(static_cast<char const*>(chunk), static_cast<std::size_t>(got));
    return true;
}

Received parse_head(std::string const& head)
{
    Received out;
    std::istringstream lines(head);
    std::string version;
    lines >> out.method >> out.target >> version;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line.size() > 1) {
        auto const colon = line.find(':');
        std::string name = line.substr(0, colon);
        std::ranges::transform(
            name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        auto const value = line.find_first_not_of(' ', colon + 1);
        auto const end = line.find_last_not_of("\r ");
        out.headers[name] = value > end ? "" : line.substr(value, end - value + 1);
    }
    return out;
}

std::optional<Received> read_request(int socket, std::string& buffer)
{
    std::size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
        if (!fill(socket, buffer)) return std::nullopt;
    }
    Received out = parse_head(buffer.substr(0, end + 2));
    buffer.erase(0, end + 4);
    std::size_t const length =
        out.headers.contains("content-length") ? std::stoul(out.headers["content-length"]) : 0;
    while (buffer.size() < length) {
        if (!fill(socket, buffer)) return std::nullopt;
    }
    out.body = buffer.substr(0, length);
    buffer.erase(0, length);
    return out;
}

bool send_all(int socket, std::string_view bytes)
{
    while (!bytes.empty()) {
        auto const sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

} // namespace

Receiver::Receiver(Answer answer) : answer_(std::move(answer))
{
    auto const [socket, port] = listen_nearby();
    listener_ = socket;
    port_ = port;
    acceptor_ = std::thread([this] { accept_loop(); });
}

Receiver::~Receiver()
{
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    close_connections();
    for (auto& thread : threads_)
        thread.join();
    for (int const socket : sockets_)
        ::close(socket);
    ::close(listener_);
}

std::string Receiver::url(std::string_view path) const
{
    return "http://127.0.0.1:" + std::to_string(port_) + std::string(path);
}

std::vector<Received> Receiver::received() const
{
    std::lock_guard const lock(mutex_);
    return received_;
}

void Receiver::close_connections()
{
    std::lock_guard const lock(mutex_);
    for (int const socket : sockets_)
        ::shutdown(socket, SHUT_RDWR);
}

void Receiver::accept_loop()
{
    while (!stopping_) {
        int const socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) continue;
        ++connections_;
        std::lock_guard const lock(mutex_);
        sockets_.push_back(socket);
        threads_.emplace_back([this, socket] { serve(socket); });
    }
}

void Receiver::serve(int socket)
{
    std::string buffer;
    while (auto request = read_request(socket, buffer)) {
        {
            std::lock_guard const lock(mutex_);
            received_.push_back(*request);
        }
        std::string const answer = answer_(*request);
        if (answer.empty() || !send_all(socket, answer)) break;
    }
    // The destructor closes the socket later, so that its descriptor number is not reused until then.
    ::shutdown(socket, SHUT_RDWR);
}

std::size_t half_closed(std::uint16_t port)
{
    constexpr std::string_view close_wait = "08"; // include/net/tcp_states.h of Linux
    std::ostringstream peer;
    peer << ':' << std::uppercase << std::hex << std::setfill('0') << std::setw(4) << port;
    std::ifstream connections("/proc/self/net/tcp");
    std::size_t count = 0;
    std::string line;
    while (std::getline(connections, line)) {
        std::istringstream words(line);
        std::string place, local, remote, state;
        words >> place >> local >> remote >> state;
        count += remote.ends_with(peer.str()) && state == close_wait ? 1 : 0;
    }
    return count;
}

std::string reply(unsigned status, std::string_view body, std::string_view header_lines)
{
    std::string out = "HTTP/1.1 " + std::to_string(status) + " X\r\n";
    out.append(header_lines);
    out.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n").append(body);
    return out;
}

} // namespace testing
