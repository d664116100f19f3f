#include "support/raw_connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace testing {

[[noreturn]] static void fail(char const* what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

RawConnection::RawConnection(unsigned short port, std::string const& address)
{
    sockaddr_in peer{};
    peer.sin_family = AF_INET;
    peer.sin_port = htons(port);
    if (inet_pton(AF_INET, address.c_str(), &peer.sin_addr) != 1)
        throw std::invalid_argument("not an IPv4 address");
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) fail("socket");
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&peer), sizeof peer) != 0) {
        int const error = errno;
        ::close(socket_);
        throw std::system_error(error, std::generic_category(), "connect");
    }
}

RawConnection::~RawConnection()
{
    ::close(socket_);
}

void RawConnection::send(std::string_view bytes)
{
    while (!bytes.empty()) {
        ssize_t const sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0) fail("send");
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

/// Waits for more bytes. Returns false if the deadline passes or the peer closes the connection first.
bool RawConnection::fill(std::chrono::steady_clock::time_point deadline)
{
    if (closed_) return false;
    auto const left = std::chrono::ceil<Milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd readable{socket_, POLLIN, 0};
    if (left <= 0 || ::poll(&readable, 1, static_cast<int>(left)) <= 0) return false;
    char bytes[16384];
    ssize_t const size = ::recv(socket_, bytes, sizeof bytes, 0);
    closed_ = size <= 0;
    if (!closed_) buffer_.append(bytes, static_cast<std::size_t>(size));
    return !closed_;
}

std::string RawConnection::take(std::size_t size)
{
    std::string taken = buffer_.substr(0, size);
    buffer_.erase(0, taken.size());
    return taken;
}

std::string RawConnection::read_to_close(Milliseconds timeout)
{
    auto const deadline = std::chrono::steady_clock::now() + timeout;
    while (fill(deadline)) {
    }
    return take(buffer_.size());
}

std::string RawConnection::read_until(std::string_view end, Milliseconds timeout)
{
    auto const deadline = std::chrono::steady_clock::now() + timeout;
    while (buffer_.find(end) == std::string::npos && fill(deadline)) {
    }
    auto const found = buffer_.find(end);
    return take(found == std::string::npos ? buffer_.size() : found + end.size());
}

std::string RawConnection::read(std::size_t size, Milliseconds timeout)
{
    auto const deadline = std::chrono::steady_clock::now() + timeout;
    while (buffer_.size() < size && fill(deadline)) {
    }
    return take(size);
}

} // namespace testing
