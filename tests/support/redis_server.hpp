#pragma once
// Private to testing: the server process of Redis and RedisCluster.

#include "support/certificates.hpp"
#include "support/process.hpp"

#include <optional>
#include <string>
#include <vector>

namespace testing {

/// The TLS settings of a Redis server.
struct RedisTls {
    Certificate certificate;
    std::string ca_file;               ///< of the authority whose certificates clients and peers must present
    bool asks_for_certificate = false; ///< whether clients must present a certificate
};

/// A redis-server on a free loopback port, without persistence.
class RedisServer {
public:
    /// Starts the server. `more`: additional arguments. If `tls` is set, the server accepts only TLS.
    explicit RedisServer(std::vector<std::string> more = {}, std::optional<RedisTls> tls = std::nullopt);

    unsigned short port() const noexcept { return port_; }

    std::string const& directory() const noexcept { return directory_.path(); }

    void start(); ///< on the same port; returns once the server responds to PING
    void stop();  ///< SIGKILL
    void pause();
    void resume();

    /// Runs one command with redis-cli and returns the reply. With TLS, redis-cli presents the server's own
    /// certificate and accepts any certificate.
    std::string ask(std::vector<std::string> const& words, std::chrono::milliseconds limit) const;

private:
    bool answers() const;
    bool pong() const;

    TemporaryDirectory directory_{"tredis"};
    unsigned short port_ = free_port();
    std::vector<std::string> more_;
    std::optional<RedisTls> tls_;
    Process process_;
};

} // namespace testing
