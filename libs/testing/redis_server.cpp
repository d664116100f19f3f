#include "testing/redis_server.hpp"

#include "testing/eventually.hpp"
#include "testing/raw_connection.hpp"

#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace testing {

RedisServer::RedisServer(std::vector<std::string> more) : more_(std::move(more))
{
    start();
}

void RedisServer::start()
{
    if (process_.running()) return;
    std::vector<std::string> argv{"redis-server", "--port", std::to_string(port_), "--bind", "127.0.0.1",
        "--save", "", "--appendonly", "no", "--dir", directory_.path(), "--daemonize", "no"};
    argv.insert(argv.end(), more_.begin(), more_.end());
    process_ = Process({.argv = std::move(argv), .output = directory_.path() + "/log"});
    bool const up = eventually([this] { return !process_.running() || answers(); });
    if (!up || !process_.running()) throw std::runtime_error("redis-server does not start");
}

bool RedisServer::answers() const
{
    try {
        RawConnection connection(port_);
        connection.send("PING\r\n");
        return connection.read_until("\r\n") == "+PONG\r\n";
    } catch (std::system_error const&) {
        return false;
    }
}

void RedisServer::stop()
{
    process_.signal(SIGKILL);
    process_.wait();
}

void RedisServer::pause()
{
    process_.signal(SIGSTOP);
}

void RedisServer::resume()
{
    process_.signal(SIGCONT);
}

} // namespace testing
