#include "providers/push_quota.hpp"
#include "push_fixture.hpp"
#include "support/redis_fixture.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

using namespace push_test;

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::int64_t per_minute = 6'000; ///< 100 per second
constexpr std::size_t burst = 20;          ///< the permits of PushQuota::burst
constexpr core::TenantId ada{1}, ben{2};

/// Waits for permits.
std::size_t take(PushQuota& quota, std::size_t wanted, core::TenantId tenant = ada,
    std::string const& project = "demo-project")
{
    auto const promise = std::make_shared<std::promise<std::size_t>>();
    quota.take(tenant, project, wanted, [promise](std::size_t permits) { promise->set_value(permits); });
    return promise->get_future().get();
}

/// Two replicas.
struct Replicas : testing::RedisFixture {
    redis::Client other_client{testing::patient_client(server.url()), contexts.all, logger};
    PushQuota one{client, *contexts.all[0], per_minute};
    PushQuota two{other_client, *contexts.all[0], per_minute};
};

} // namespace

TEST_CASE("the pushes of all replicas share the quota of a project", "[push]")
{
    Replicas f;
    auto const began = Steady::now();
    std::size_t permits = 0;
    for (int i = 0; permits < 100; ++i)
        permits += take(i % 2 == 0 ? f.one : f.two, burst);
    // The bucket was full at first, and is refilled evenly.
    auto const least = std::chrono::milliseconds((permits - burst) * 10);
    CHECK(Steady::now() - began >= least - 20ms);
}

TEST_CASE("a caller gets the permits that there are, and waits for the first one", "[push]")
{
    Replicas f;
    CHECK(take(f.one, 5) == 5);
    auto const rest = take(f.one, 1'000);
    CHECK(rest >= 1);
    CHECK(rest <= burst);
    auto const next = take(f.two, 1'000);
    CHECK(next >= 1);
    CHECK(next <= burst);
}

TEST_CASE("each project of each tenant has its own quota", "[push]")
{
    Replicas f;
    CHECK(take(f.one, burst) == burst);
    CHECK(take(f.one, burst, ben) == burst);
    CHECK(take(f.two, burst, ada, "other-project") == burst);
    CHECK(take(f.two, burst, ben, "other-project") == burst);
}

TEST_CASE("without Redis each replica paces itself", "[push]")
{
    Replicas f;
    f.server.stop();
    CHECK(take(f.one, burst) == burst);
    CHECK(take(f.two, burst) == burst); // its own bucket
    auto const began = Steady::now();
    std::size_t permits = 0;
    while (permits < 50)
        permits += take(f.one, burst);
    // Its bucket may have been full again when the loop began.
    auto const least = std::chrono::milliseconds((permits - std::min(permits, burst)) * 10);
    CHECK(Steady::now() - began >= least - 20ms);
    f.server.start();
    CHECK(eventually([&] {
        take(f.one, 1);
        return f.server.ask({"KEYS", "notify:push_quota:*"}) != "";
    }));
}

TEST_CASE("a quota that is destroyed gives no permits to callers that wait", "[push]")
{
    testing::RedisFixture redis;
    std::optional<PushQuota> quota(std::in_place, redis.client, *redis.contexts.all[0], per_minute);
    CHECK(take(*quota, 1) == 1);
    std::atomic<int> calls = 0;
    redis.server.pause();
    quota->take(ada, "demo-project", 1, [&](std::size_t) { ++calls; });
    quota.reset();
    redis.server.resume();
    // The answers of Redis come in order, so the first caller would have its permit.
    PushQuota other(redis.client, *redis.contexts.all[0], per_minute);
    CHECK(take(other, 1) == 1);
    CHECK(calls == 0);
}

TEST_CASE("pushes through FCM are paced, and pushes through APNs are not", "[push]")
{
    testing::RedisFixture redis;
    Fixture f;
    PushQuota quota(redis.client, *redis.contexts.all[0], 600); // ten per second, two at once
    PushOptions options;
    options.fcm_base_url = f.fcm.url();
    options.fcm_token_url = f.fcm.token_url();
    options.apns_base_url = f.apns.url();
    f.push.emplace(options, f.client, &quota, f.clock, f.logger);
    auto targets = Fixture::androids(12);
    auto const began = Steady::now();
    for (auto const& result : f.send(targets))
        CHECK(name_of(result) == "accepted");
    CHECK(Steady::now() - began >= 980ms);
    CHECK(f.fcm.pushes() == 12);
    CHECK(name_of(f.send_apns("aa")) == "accepted");
    CHECK_THAT(redis.server.ask({"KEYS", "notify:push_quota:*"}), Catch::EndsWith(":demo-project}"));
    f.push.reset(); // before the quota
}
