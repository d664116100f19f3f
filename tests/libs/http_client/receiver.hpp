#pragma once

#include "support/gate.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace testing {

/// A request that a receiver has received.
struct Received {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers; ///< lower-case names
    std::string body;
};

/// An HTTP/1.1 server on 127.0.0.1 for tests of outbound requests. A function makes the raw bytes of each
/// response. Each connection has its own thread and stays open until the peer closes it.
class Receiver {
public:
    /// Returns the whole response including the head. If the text is empty, the connection is closed without
    /// a response.
    using Answer = std::function<std::string(Received const&)>;

    explicit Receiver(Answer answer);
    ~Receiver();
    Receiver(Receiver const&) = delete;
    Receiver& operator=(Receiver const&) = delete;

    std::uint16_t port() const noexcept { return port_; }

    std::string url(std::string_view path = "/") const;

    std::vector<Received> received() const;

    std::size_t connections() const noexcept { return connections_; }

    /// Closes all connections.
    void close_connections();

private:
    void accept_loop();
    void serve(int socket);

    Answer answer_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<std::size_t> connections_{0};
    std::atomic<bool> stopping_{false};
    mutable std::mutex mutex_;
    std::vector<Received> received_;
    std::vector<int> sockets_;
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

/// The number of this process's connections to this port of 127.0.0.1 that the server has closed, and the
/// client has not.
std::size_t half_closed(std::uint16_t port);

/// A response with a body and additional header lines, each ended by CRLF.
std::string reply(unsigned status, std::string_view body = {}, std::string_view header_lines = {});

/// A receiver that holds every request until its gate is opened, and then responds with 204. Destruction
/// opens the gate.
struct HeldReceiver {
    Gate gate;
    Receiver receiver{[this](Received const&) {
        gate.pass_blocking();
        return reply(204);
    }};
    OpenAtEnd const at_end{gate};
};

} // namespace testing
