#pragma once

#include "support/certificates.hpp"

#include <memory>
#include <string>
#include <vector>

namespace testing {

class RedisServer;

/// A private redis-server on a free loopback port, without persistence. It is killed when the fixture is
/// destroyed or the process ends. Construct it, and call `start`, on a thread that outlives the server,
/// because Linux kills the server when that thread ends.
class Redis {
public:
    Redis();

    /// A server that accepts only TLS, with a certificate of `authority` for `names`
    /// (`DNS:localhost,IP:127.0.0.1`). `mutual`: it requires client certificates of the same authority.
    Redis(Authority& authority, std::string const& names, bool mutual = false);

    ~Redis();
    Redis(Redis&&) noexcept;
    Redis& operator=(Redis&&) = delete;

    std::string url() const; ///< `redis://127.0.0.1:PORT`, `rediss://` with TLS
    unsigned short port() const noexcept;

    /// Runs one command with redis-cli and returns the reply, one line per element. Throws std::runtime_error
    /// if the command fails.
    std::string ask(std::vector<std::string> const& words) const;

    void stop();  ///< closes the connections; new ones are refused
    void start(); ///< on the same port, without data; returns once the server responds to PING
    void pause(); ///< SIGSTOP: connections stay open and silent
    void resume();

private:
    std::unique_ptr<RedisServer> server_;
    char const* scheme_ = "redis://";
};

} // namespace testing
