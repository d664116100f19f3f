#include "http_client/socket_watcher.hpp"

#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <system_error>

namespace http_client {

namespace {

int make_epoll()
{
    int const descriptor = ::epoll_create1(EPOLL_CLOEXEC);
    if (descriptor < 0) throw std::system_error(errno, std::system_category(), "epoll_create1");
    return descriptor;
}

} // namespace

SocketWatcher::SocketWatcher(boost::asio::io_context& io) : epoll_(io, make_epoll())
{
    wait();
}

SocketWatcher::Owner SocketWatcher::add_owner(Handler handler)
{
    handlers_.push_back(std::move(handler));
    return static_cast<Owner>(handlers_.size() - 1);
}

void SocketWatcher::watch(Owner owner, int socket, bool readable, bool writable)
{
    epoll_event event{};
    event.events = (readable ? EPOLLIN : 0U) | (writable ? EPOLLOUT : 0U);
    event.data.u64 = (std::uint64_t{owner} << 32) | static_cast<std::uint32_t>(socket);
    int const set = epoll_.native_handle();
    if (event.events == 0) {
        ::epoll_ctl(set, EPOLL_CTL_DEL, socket,
            nullptr); // fails if the socket is closed: the kernel has removed it from the set
    } else if (::epoll_ctl(set, EPOLL_CTL_MOD, socket, &event) != 0 && errno == ENOENT) {
        ::epoll_ctl(set, EPOLL_CTL_ADD, socket, &event);
    }
}

void SocketWatcher::wait()
{
    epoll_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](auto const& error) {
        if (error) return;
        dispatch();
        if (epoll_.is_open()) wait();
    });
}

void SocketWatcher::dispatch()
{
    std::array<epoll_event, 256> events{};
    int const n = ::epoll_wait(epoll_.native_handle(), events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < n && epoll_.is_open(); ++i) {
        auto const& event = events.at(static_cast<std::size_t>(i));
        bool const broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
        handlers_.at(event.data.u64 >> 32)(static_cast<int>(event.data.u64 & 0xffffffffU),
            broken || (event.events & EPOLLIN) != 0, broken || (event.events & EPOLLOUT) != 0);
    }
}

void SocketWatcher::stop()
{
    boost::system::error_code ignored;
    epoll_.close(ignored);
}

} // namespace http_client
