#include "factors.hpp"
#include "support/redis_cluster.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <cstddef>

// Sign-in over a Redis Cluster. Challenges, SMS enrolments and rate limits are spread over all nodes of the
// cluster.

namespace {

int keys_at(testing::RedisCluster const& cluster, std::size_t node)
{
    return std::stoi(cluster.at(node, {"DBSIZE"}));
}

/// The number of nodes that hold keys with this prefix.
int nodes_with(testing::RedisCluster const& cluster, std::string const& prefix)
{
    int found = 0;
    for (std::size_t node = 0; node < cluster.size(); ++node)
        found += static_cast<int>(cluster.at(node, {"KEYS", prefix + "*"}).find(prefix) != std::string::npos);
    return found;
}

} // namespace

TEST_CASE("sign-in with a second factor works if its state is spread over a Redis Cluster", "[challenges]")
{
    testing::RedisCluster const cluster;
    World const world({.redis_url = cluster.url()});
    constexpr int accounts = 6;
    for (int i = 0; i < accounts; ++i) {
        auto const ada = world.new_account_with_sms();
        auto const token = world.challenged(ada);
        auto const code = world.code_sent_to(ada.phone);
        CHECK(outcome(world.verify(token, "sms", other_code(code))) == invalid);
        auto const again = world.send(token);
        REQUIRE(again.status == 200);
        CHECK(again.json().at("sendsRemaining") == 1);
        CHECK(outcome(world.verify(token, "sms", code)) == invalid); // a new code has replaced it
        auto const passed = world.verify(token, "sms", world.code_sent_to(ada.phone));
        REQUIRE(passed.status == 200);
        CHECK(world.with(text(passed.json(), "accessToken")).get("/v1/auth/me").status == 200);
        CHECK(outcome(world.verify(token, "recovery_code", ada.recovery_codes[0])) == expired);
        CHECK(world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes[0]).status == 200);
    }
    for (std::size_t node = 0; node < cluster.size(); ++node)
        CHECK(keys_at(cluster, node) > 0);
}

TEST_CASE("rate limits are enforced over a Redis Cluster, and a tenant's counters are erased on every node",
    "[challenges]")
{
    testing::RedisCluster const cluster;
    World world({.redis_url = cluster.url()});
    world.one_network = true;
    std::vector<Account> accounts;
    for (int i = 0; i < 4; ++i)
        accounts.push_back(world.new_account());
    for (auto ada : accounts) {
        ada.password = "not the right one";
        std::map<unsigned, int> statuses;
        for (int attempt = 0; attempt < 12; ++attempt)
            ++statuses[world.login(ada).status];
        CHECK(statuses == std::map<unsigned, int>{{401, 10}, {429, 2}});
    }
    auto const prefix = "auth-mfa:budget:{" + world.scope_id() + ":";
    CHECK(nodes_with(cluster, prefix) == 3);
    CHECK(world.as_master().del("/v1/admin/tenants/demo?purge=now").status == 200);
    CHECK(nodes_with(cluster, prefix) == 0);
}
