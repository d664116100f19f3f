#pragma once

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
    ~Redis();
    Redis(Redis&&) noexcept;
    Redis& operator=(Redis&&) = delete;

    std::string url() const; ///< `redis://127.0.0.1:PORT`
    unsigned short port() const noexcept;

    void stop();  ///< connections are closed, later ones refused
    void start(); ///< on the same port, empty; returns once it answers PING
    void pause(); ///< SIGSTOP: connections stay open and silent
    void resume();

private:
    std::unique_ptr<RedisServer> server_;
};

} // namespace testing
