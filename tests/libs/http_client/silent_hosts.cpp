#include "silent_hosts.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <netinet/in.h>
#include <numeric>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace testing {

namespace {

constexpr std::uint64_t wake_tag = ~0ULL;
/// The tag of a listener is this plus the index of its host.
constexpr std::uint64_t listener_tag = 1ULL << 32;

void watch(int epoll, int descriptor, std::uint64_t tag)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = tag;
    if (::epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) throw std::runtime_error("epoll_ctl");
}

/// Whether `text` contains a request's head and its complete body.
bool is_whole(std::string const& text)
{
    auto const end = text.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    std::string head = text.substr(0, end);
    std::ranges::transform(
        head, head.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    auto const field = head.find("content-length:");
    std::size_t const length = field == std::string::npos ? 0 : std::stoul(head.substr(field + 15));
    return text.size() >= end + 4 + length;
}

} // namespace

SilentHosts::SilentHosts(std::size_t count) : now_(count), peak_(count)
{
    raise_file_limit();
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    watch(epoll_, wake_, wake_tag);
    for (std::size_t i = 0; i < count; ++i) {
        std::string const address = "127.1." + std::to_string(i / 250) + '.' + std::to_string(1 + i % 250);
        int const listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        sockaddr_in name{};
        name.sin_family = AF_INET;
        ::inet_pton(AF_INET, address.c_str(), &name.sin_addr);
        socklen_t size = sizeof name;
        if (::bind(listener, reinterpret_cast<sockaddr*>(&name), size) != 0 ||
            ::listen(listener, 1024) != 0 ||
            ::getsockname(listener, reinterpret_cast<sockaddr*>(&name), &size) != 0)
            throw std::runtime_error("the silent host cannot listen");
        listeners_.push_back(listener);
        origins_.push_back("http://" + address + ':' + std::to_string(ntohs(name.sin_port)));
        watch(epoll_, listener, listener_tag | i);
    }
    thread_ = std::thread([this] { run(); });
}

SilentHosts::~SilentHosts()
{
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
    }
    ::eventfd_write(wake_, 1);
    thread_.join();
    for (auto const& [socket, connection] : connections_)
        ::close(socket);
    for (int const listener : listeners_)
        ::close(listener);
    ::close(wake_);
    ::close(epoll_);
}

std::string SilentHosts::url(std::size_t host, std::string const& path) const
{
    return origins_.at(host) + path;
}

std::size_t SilentHosts::in_flight() const
{
    std::lock_guard const lock(mutex_);
    return std::accumulate(now_.begin(), now_.end(), std::size_t{0});
}

std::size_t SilentHosts::in_flight(std::size_t host) const
{
    std::lock_guard const lock(mutex_);
    return now_.at(host);
}

std::size_t SilentHosts::peak(std::size_t host) const
{
    std::lock_guard const lock(mutex_);
    return peak_.at(host);
}

std::size_t SilentHosts::arrived() const
{
    std::lock_guard const lock(mutex_);
    return arrived_;
}

void SilentHosts::release()
{
    std::lock_guard const lock(mutex_);
    released_ = true;
    for (auto& [socket, connection] : connections_)
        if (connection.in_flight) answer(socket, connection);
}

void SilentHosts::run()
{
    std::array<epoll_event, 64> events{};
    for (;;) {
        int const n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
        std::lock_guard const lock(mutex_);
        if (stopping_) return;
        for (int i = 0; i < n; ++i) {
            auto const tag = events.at(static_cast<std::size_t>(i)).data.u64;
            if (tag == wake_tag) continue;
            if ((tag & listener_tag) != 0)
                accept_from(tag & ~listener_tag);
            else
                read_from(static_cast<int>(tag));
        }
    }
}

void SilentHosts::accept_from(std::size_t host)
{
    for (int socket = 0;;) {
        socket = ::accept4(listeners_[host], nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (socket < 0) return;
        connections_[socket].host = host;
        watch(epoll_, socket, static_cast<std::uint64_t>(socket));
    }
}

void SilentHosts::read_from(int socket)
{
    auto const it = connections_.find(socket);
    if (it == connections_.end()) return;
    auto& connection = it->second;
    std::array<char, 16 * 1024> chunk{};
    auto const got = ::recv(socket, chunk.data(), chunk.size(), 0);
    if (got <= 0) {
        drop(socket);
        return;
    }
    connection.received.append(chunk.data(), static_cast<std::size_t>(got));
    if (connection.in_flight || !is_whole(connection.received)) return;
    connection.in_flight = true;
    ++arrived_;
    auto const host = connection.host;
    peak_[host] = std::max(peak_[host], ++now_[host]);
    if (released_) answer(socket, connection);
}

void SilentHosts::answer(int socket, Connection& connection)
{
    static constexpr std::string_view none = "HTTP/1.1 204 No Content\r\n\r\n";
    connection.received.clear();
    connection.in_flight = false;
    --now_[connection.host];
    (void)::send(socket, none.data(), none.size(), MSG_NOSIGNAL);
}

void SilentHosts::drop(int socket)
{
    auto const it = connections_.find(socket);
    if (it->second.in_flight) --now_[it->second.host];
    connections_.erase(it);
    ::close(socket);
}

void raise_file_limit()
{
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

} // namespace testing
