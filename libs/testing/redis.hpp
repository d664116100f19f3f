#pragma once

#include "testing/certificates.hpp"

#include <memory>
#include <string>

namespace testing {

class RedisServer;

/// A private redis-server on a free loopback port, without persistence; killed with the fixture or the
/// process. Create it, and call `start`, from a thread that outlives the server (Linux kills the server with
/// that thread).
class Redis {
public:
    Redis();

    /// One that talks TLS and nothing else, with a certificate of `authority` for `names`
    /// (`DNS:localhost,IP:127.0.0.1`). `mutual`: it asks its clients for one of the same authority.
    Redis(Authority& authority, std::string const& names, bool mutual = false);

    ~Redis();
    Redis(Redis&&) noexcept;
    Redis& operator=(Redis&&) = delete;

    std::string url() const; ///< `redis://127.0.0.1:PORT`, `rediss://` under TLS
    unsigned short port() const noexcept;

    void stop();  ///< connections are closed, later ones refused
    void start(); ///< on the same port, empty; returns once it answers PING
    void pause(); ///< SIGSTOP: connections stay open and silent
    void resume();

private:
    std::unique_ptr<RedisServer> server_;
    char const* scheme_ = "redis://";
};

} // namespace testing
