#pragma once
// Private to testing: the process behind Redis and RedisCluster.

#include "testing/process.hpp"

#include <string>
#include <vector>

namespace testing {

/// A redis-server on a free loopback port, without persistence.
class RedisServer {
public:
    /// `more`: arguments on top. Starts it.
    explicit RedisServer(std::vector<std::string> more = {});

    unsigned short port() const noexcept { return port_; }

    std::string const& directory() const noexcept { return directory_.path(); }

    void start(); ///< on the same port; returns once it answers PING
    void stop();  ///< SIGKILL
    void pause();
    void resume();

private:
    bool answers() const;

    TemporaryDirectory directory_{"tredis"};
    unsigned short port_ = free_port();
    std::vector<std::string> more_;
    Process process_;
};

} // namespace testing
