#pragma once
// Private to testing: the process behind Redis and RedisCluster.

#include "testing/certificates.hpp"
#include "testing/process.hpp"

#include <optional>
#include <string>
#include <vector>

namespace testing {

/// How a Redis talks TLS.
struct RedisTls {
    Certificate certificate;
    std::string ca_file; ///< of the authority that its clients, and its peers, are to show a certificate of
    bool asks_for_certificate = false; ///< of clients
};

/// A redis-server on a free loopback port, without persistence.
class RedisServer {
public:
    /// `more`: arguments on top. `tls`: it talks nothing but that. Starts it.
    explicit RedisServer(std::vector<std::string> more = {}, std::optional<RedisTls> tls = std::nullopt);

    unsigned short port() const noexcept { return port_; }

    std::string const& directory() const noexcept { return directory_.path(); }

    void start(); ///< on the same port; returns once it answers PING
    void stop();  ///< SIGKILL
    void pause();
    void resume();

    /// What redis-cli answers to one command; it shows the server's own certificate and believes any.
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
