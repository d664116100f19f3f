#pragma once
// Private to the asynchronous client.

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace http {

/// Which sockets of other libraries are ready, level-triggered: an epoll set of its own, which an event loop
/// watches as one descriptor. Used by one thread.
class Readiness {
public:
    using Handler = std::function<void(int socket, bool readable, bool writable)>;

    explicit Readiness(boost::asio::io_context& io);
    ~Readiness() = default;
    Readiness(Readiness const&) = delete;
    Readiness& operator=(Readiness const&) = delete;

    /// Whose sockets they are; `handler` is told when one is ready.
    using Owner = std::uint32_t;
    Owner add_owner(Handler handler);

    /// Watches `socket` for these events from now on; for neither: no more.
    void watch(Owner owner, int socket, bool readable, bool writable);

    /// Ends the watching, so that the loop can return.
    void stop();

private:
    void wait();
    void dispatch();

    boost::asio::posix::stream_descriptor epoll_;
    std::vector<Handler> handlers_;
};

} // namespace http
