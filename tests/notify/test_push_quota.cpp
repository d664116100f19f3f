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

/// Waits for permits, or for a hold.
PushQuota::Grant ask(PushQuota& quota, std::size_t wanted, core::TenantId tenant = ada,
    std::string const& project = "demo-project")
{
    auto const promise = std::make_shared<std::promise<PushQuota::Grant>>();
    quota.take(tenant, project, wanted, [promise](PushQuota::Grant grant) { promise->set_value(grant); });
    return promise->get_future().get();
}

/// Waits for permits.
std::size_t take(PushQuota& quota, std::size_t wanted, core::TenantId tenant = ada,
    std::string const& project = "demo-project")
{
    return ask(quota, wanted, tenant, project).permits;
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

TEST_CASE("a project that is held gets no permits in any replica until the end of the hold", "[push]")
{
    Replicas f;
    auto const held = [&](PushQuota& quota) { return ask(quota, burst).held > 0ms; };
    f.one.hold(ada, "demo-project", 1h, f.clock.now());
    REQUIRE(eventually([&] { return held(f.two); }));
    for (auto* const quota : {&f.one, &f.two}) {
        auto const grant = ask(*quota, burst);
        CHECK(grant.permits == 0);
        CHECK(grant.held > 30min);
        CHECK(grant.held <= 1h);
    }
    CHECK(take(f.two, 1, ben) == 1);
    CHECK(take(f.two, 1, ada, "other-project") == 1);

    f.server.ask({"PEXPIRE", "notify:push_hold:{1:demo-project}", "1"}); // the end of the hold
    CHECK(eventually([&] { return take(f.two, 1) == 1; }));
    CHECK(take(f.one, 1) == 1);
}

TEST_CASE("a hold keeps its begin, and never gets shorter or longer than an hour", "[push]")
{
    Replicas f;
    auto const found = [&] { return f.await(f.two.find_hold(ada, "demo-project")); };
    CHECK_FALSE(found());
    auto const began = f.clock.now();
    f.one.hold(ada, "demo-project", 10min, began);
    REQUIRE(eventually([&] { return found().has_value(); }));
    f.one.hold(ada, "demo-project", 24h, began + 1min);
    REQUIRE(eventually([&] { return found()->left > 30min; }));
    CHECK(found()->left <= 1h);
    f.one.hold(ada, "demo-project", 1s, began + 2min);
    f.one.hold(ben, "demo-project", 1min, began + 3min); // is stored after the previous hold
    REQUIRE(eventually([&] { return f.await(f.two.find_hold(ben, "demo-project")).has_value(); }));
    CHECK(found()->left > 30min);
    CHECK(found()->since == began);
}

TEST_CASE("without Redis each replica paces itself", "[push]")
{
    Replicas f;
    f.server.stop();
    f.one.hold(ada, "demo-project", 1h, f.clock.now()); // has no effect
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
    quota->take(ada, "demo-project", 1, [&](PushQuota::Grant) { ++calls; });
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
