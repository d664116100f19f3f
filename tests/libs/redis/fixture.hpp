#pragma once

#include "support/contexts.hpp"
#include "support/redis.hpp"
#include "support/redis_fixture.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redis_test {

namespace asio = boost::asio;

inline asio::awaitable<redis::Reply> call(redis::Client& client, std::vector<std::string> args)
{
    std::vector<std::string_view> const views(args.begin(), args.end());
    co_return co_await client.command(views);
}

/// A Redis server and its client, which a test may replace.
struct Fixture {
    explicit Fixture(unsigned context_count = 1) : contexts(context_count) { connect(server.url()); }

    void connect(std::string const& url) { connect(testing::patient_client(url)); }

    void connect(redis::ClientOptions options)
    {
        client = std::make_unique<redis::Client>(std::move(options), contexts.all, logger);
    }

    redis::Reply operator()(std::vector<std::string> args, std::size_t context = 0)
    {
        return contexts.await(call(*client, std::move(args)), context);
    }

    testing::Redis server;
    observe::Logger logger{"test", observe::Level::off};
    testing::Contexts contexts;
    /// Destroyed first, so that the contexts run out of work and are joined.
    std::unique_ptr<redis::Client> client;
};

} // namespace redis_test
