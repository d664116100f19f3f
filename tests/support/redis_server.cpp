#include "support/redis_server.hpp"

#include "support/eventually.hpp"
#include "support/raw_connection.hpp"

#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace testing {

namespace {

std::vector<std::string> arguments_of(RedisTls const& tls)
{
    return {"--tls-cert-file", tls.certificate.file, "--tls-key-file", tls.certificate.key,
        "--tls-ca-cert-file", tls.ca_file, "--tls-auth-clients", tls.asks_for_certificate ? "yes" : "no"};
}

} // namespace

RedisServer::RedisServer(std::vector<std::string> more, std::optional<RedisTls> tls)
    : more_(std::move(more)), tls_(std::move(tls))
{
    if (tls_) {
        auto const arguments = arguments_of(*tls_);
        more_.insert(more_.end(), arguments.begin(), arguments.end());
    }
    start();
}

void RedisServer::start()
{
    if (process_.running()) return;
    std::vector<std::string> argv{"redis-server", "--port", tls_ ? "0" : std::to_string(port_), "--tls-port",
        tls_ ? std::to_string(port_) : "0", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
        "--dir", directory_.path(), "--daemonize", "no"};
    argv.insert(argv.end(), more_.begin(), more_.end());
    process_ = Process({.argv = std::move(argv), .output = directory_.path() + "/log"});
    bool const up = eventually([this] { return !process_.running() || answers(); });
    if (!up || !process_.running()) throw std::runtime_error("redis-server does not start");
}

std::string RedisServer::ask(std::vector<std::string> const& words, std::chrono::milliseconds limit) const
{
    std::vector<std::string> argv{"redis-cli", "-e", "-p", std::to_string(port_)};
    if (tls_)
        argv.insert(argv.end(),
            {"--tls", "--insecure", "--cert", tls_->certificate.file, "--key", tls_->certificate.key});
    argv.insert(argv.end(), words.begin(), words.end());
    std::string answer = output_of(argv, limit);
    while (answer.ends_with('\n'))
        answer.pop_back();
    return answer;
}

bool RedisServer::answers() const
{
    if (!tls_) return pong();
    try {
        return ask({"PING"}, std::chrono::seconds(30)) == "PONG";
    } catch (std::runtime_error const&) {
        return false;
    }
}

/// Sends PING without redis-cli, because starting redis-cli takes longer than starting the server.
bool RedisServer::pong() const
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
