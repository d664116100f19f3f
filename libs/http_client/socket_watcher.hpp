#pragma once
// Internal to the asynchronous client.

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace http_client {

/// Watches the sockets of other libraries in one epoll set (level-triggered). The event loop watches the set
/// as one descriptor. Not thread-safe.
class SocketWatcher {
public:
    using Handler = std::function<void(int socket, bool readable, bool writable)>;

    explicit SocketWatcher(boost::asio::io_context& io);
    ~SocketWatcher() = default;
    SocketWatcher(SocketWatcher const&) = delete;
    SocketWatcher& operator=(SocketWatcher const&) = delete;

    /// The number of an owner of sockets. The owner's `handler` is called when one of its sockets is ready.
    using Owner = std::uint32_t;
    Owner add_owner(Handler handler);

    /// From now on, watches whether `socket` is readable or writable, as requested. If both arguments are
    /// false, stops watching the socket.
    void watch(Owner owner, int socket, bool readable, bool writable);

    /// Stops watching, so that the event loop can return.
    void stop();

private:
    void wait();
    void dispatch();

    boost::asio::posix::stream_descriptor epoll_;
    std::vector<Handler> handlers_;
};

} // namespace http_client
