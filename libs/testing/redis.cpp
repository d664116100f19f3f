#include "testing/redis.hpp"

#include "testing/eventually.hpp"
#include "testing/process.hpp"
#include "testing/raw_connection.hpp"

#include <csignal>
#include <stdexcept>
#include <system_error>

namespace testing {

class Redis::Server {
public:
    Server() { start(); }

    void start()
    {
        if (process.running()) return;
        process =
            Process({.argv = {"redis-server", "--port", std::to_string(port), "--bind", "127.0.0.1", "--save",
                         "", "--appendonly", "no", "--dir", directory.path(), "--daemonize", "no"},
                .output = directory.path() + "/log"});
        bool const up = eventually([this] { return !process.running() || answers(); });
        if (!up || !process.running()) throw std::runtime_error("redis-server does not start");
    }

    bool answers() const
    {
        try {
            RawConnection connection(port);
            connection.send("PING\r\n");
            return connection.read_until("\r\n") == "+PONG\r\n";
        } catch (std::system_error const&) {
            return false;
        }
    }

    TemporaryDirectory directory{"tredis"};
    unsigned short port = free_port();
    Process process;
};

Redis::Redis() : server_(std::make_unique<Server>()) {}

Redis::~Redis() = default;
Redis::Redis(Redis&&) noexcept = default;

std::string Redis::url() const
{
    return "redis://127.0.0.1:" + std::to_string(server_->port);
}

unsigned short Redis::port() const noexcept
{
    return server_->port;
}

void Redis::stop()
{
    server_->process.signal(SIGKILL);
    server_->process.wait();
}

void Redis::start()
{
    server_->start();
}

void Redis::pause()
{
    server_->process.signal(SIGSTOP);
}

void Redis::resume()
{
    server_->process.signal(SIGCONT);
}

} // namespace testing
