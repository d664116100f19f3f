#pragma once

#include "fixture.hpp"
#include "redis/topology.hpp"
#include "support/redis_cluster.hpp"

namespace redis_test {

using testing::RedisCluster;

inline std::string key_of(int number)
{
    return "test:{subject" + std::to_string(number) + "}";
}

/// The cluster of all tests that do not damage it. It is emptied before each test.
inline RedisCluster& whole_cluster()
{
    static RedisCluster cluster;
    cluster.flush();
    return cluster;
}

/// A cluster and its client.
struct ClusterFixture {
    explicit ClusterFixture(unsigned context_count = 1) : ClusterFixture(whole_cluster(), context_count) {}

    explicit ClusterFixture(RedisCluster& c, unsigned context_count = 1) : cluster(c), contexts(context_count)
    {
        connect(testing::patient_client(cluster.url()));
    }

    void connect(redis::ClientOptions options)
    {
        client = std::make_unique<redis::Client>(std::move(options), contexts.all, logger);
    }

    redis::Reply operator()(std::vector<std::string> args, std::size_t context = 0)
    {
        return contexts.await(call(*client, std::move(args)), context);
    }

    /// Whether the command gets a reply and does not throw Unavailable.
    bool answered(std::vector<std::string> args)
    {
        try {
            (*this)(std::move(args));
            return true;
        } catch (redis::Unavailable const&) {
            return false;
        }
    }

    redis::Reply run(redis::Script const& script, std::vector<std::string> const& keys)
    {
        return contexts.await(start(script, keys));
    }

    asio::awaitable<redis::Reply> start(redis::Script const& script, std::vector<std::string> keys)
    {
        std::vector<std::string_view> const views(keys.begin(), keys.end());
        co_return co_await client->eval(script, views, {});
    }

    /// A key that a given master holds.
    std::string key_at(std::size_t node) const
    {
        for (int i = 0;; ++i)
            if (cluster.keeper_of(redis::slot_of(key_of(i))) == node) return key_of(i);
    }

    /// The number of replies of a node with the error `code`.
    int said(std::size_t node, std::string const& code) const
    {
        auto const stats = cluster.at(node, {"INFO", "errorstats"});
        auto const name = "errorstat_" + code + ":count=";
        auto const at = stats.find(name);
        return at == std::string::npos ? 0 : std::stoi(stats.substr(at + name.size()));
    }

    RedisCluster& cluster;
    observe::Logger logger{"test", observe::Level::off};
    testing::Contexts contexts;
    /// Destroyed first, so that the contexts run out of work and are joined.
    std::unique_ptr<redis::Client> client;
};

inline int keys_at(RedisCluster const& cluster, std::size_t node)
{
    return std::stoi(cluster.at(node, {"DBSIZE"}));
}

} // namespace redis_test
