#pragma once

#include "support/certificates.hpp"

#include <openssl/ssl.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace testing {

/// An HTTPS server on 127.0.0.1 that answers each request with 201. Each connection has its own thread.
class TlsServer {
public:
    explicit TlsServer(Certificate const& certificate);
    ~TlsServer();
    TlsServer(TlsServer const&) = delete;
    TlsServer& operator=(TlsServer const&) = delete;

    std::uint16_t port() const noexcept { return port_; }

    std::string url() const { return "https://127.0.0.1:" + std::to_string(port_) + '/'; }

    unsigned requests() const noexcept { return requests_; }

    unsigned connections() const noexcept { return connections_; }

    /// Closes all connections as TLS requires: close_notify, then the end of the stream. They must be idle.
    void close_connections();

private:
    struct Connection {
        int socket = -1;
        SSL* session = nullptr;
        std::mutex mutex; ///< protects `session`
        std::thread thread;
    };

    void accept_loop();
    void serve(Connection& connection);

    SSL_CTX* const context_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<bool> stopping_ = false;
    std::atomic<unsigned> requests_ = 0, connections_ = 0;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Connection>> all_;
    std::thread acceptor_;
};

} // namespace testing
