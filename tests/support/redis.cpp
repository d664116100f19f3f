#include "support/redis.hpp"

#include "support/redis_server.hpp"

#include <chrono>

namespace testing {

Redis::Redis() : server_(std::make_unique<RedisServer>()) {}

Redis::Redis(Authority& authority, std::string const& names, bool mutual)
    : server_(std::make_unique<RedisServer>(
          std::vector<std::string>{}, RedisTls{authority.issue(names), authority.file(), mutual})),
      scheme_("rediss://")
{
}

Redis::~Redis() = default;
Redis::Redis(Redis&&) noexcept = default;

std::string Redis::url() const
{
    return std::string(scheme_) + "127.0.0.1:" + std::to_string(server_->port());
}

unsigned short Redis::port() const noexcept
{
    return server_->port();
}

std::string Redis::ask(std::vector<std::string> const& words) const
{
    return server_->ask(words, std::chrono::seconds(30));
}

void Redis::stop()
{
    server_->stop();
}

void Redis::start()
{
    server_->start();
}

void Redis::pause()
{
    server_->pause();
}

void Redis::resume()
{
    server_->resume();
}

} // namespace testing
