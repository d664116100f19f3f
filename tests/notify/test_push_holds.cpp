#include "providers/push_quota.hpp"
#include "push_fixture.hpp"
#include "support/redis_fixture.hpp"

// Pauses that carriers ask for: FCM for a project, APNs for a device.

using namespace push_test;

namespace {

using State = CarrierStatus::State;

constexpr core::TenantId ada{1}, ben{2};

/// Two keys of one project of ada's, and a key of the same project of ben's.
Credential::Ptr const& key()
{
    static auto const credential = fcm_credential("demo-project", "key-1");
    return credential;
}

Credential::Ptr const& other_key()
{
    static auto const credential = fcm_credential("demo-project", "key-2");
    return credential;
}

Credential::Ptr const& key_of_ben()
{
    static auto const credential = fcm_credential("demo-project", "key-3");
    return credential;
}

/// Two replicas that share Redis and the carriers.
struct Replicas {
    explicit Replicas(json::object fcm_options = {}) : carriers(std::move(fcm_options))
    {
        options.fcm_base_url = carriers.fcm.url();
        options.fcm_token_url = carriers.fcm.token_url();
        options.apns_base_url = carriers.apns.url();
        one.emplace(options, carriers.client, &quota, carriers.clock, carriers.logger);
        two.emplace(options, carriers.client, &other_quota, carriers.clock, carriers.logger);
    }

    PushResult send(PushSender& push, Credential::Ptr const& credential, std::string token,
        core::TenantId tenant = ada) const
    {
        auto const message = std::make_shared<RenderedPush const>(render_push({.id = core::Uuid::v7(),
            .title = "Title",
            .body = "Body",
            .data = {},
            .created_at = carriers.clock.now(),
            .scope = core::Scope::of(tenant, core::Environment::production, "acme")}));
        return send_all(push, {credential}, message, {Fixture::target(Carrier::fcm, std::move(token))})
            .front();
    }

    /// The hold of the project in Redis.
    std::optional<PushQuota::Hold> hold(core::TenantId tenant = ada)
    {
        return redis.await(quota.find_hold(tenant, "demo-project"));
    }

    CarrierStatus status(PushSender const& push, Credential::Ptr const& credential, core::TenantId tenant)
    {
        return redis.await(
            push.find_status(core::scope_of(tenant, core::Environment::production), credential));
    }

    testing::RedisFixture redis;
    redis::Client other_client{testing::patient_client(redis.server.url()), redis.contexts.all, redis.logger};
    PushQuota quota{redis.client, *redis.contexts.all[0], 600'000};
    PushQuota other_quota{other_client, *redis.contexts.all[0], 600'000};
    Fixture carriers;
    PushOptions options;
    std::optional<PushSender> one, two;
};

bool is_held(PushResult const& result)
{
    return name_of(result) == "throttled CARRIER_THROTTLED" && result.untried() && !result.handed_out;
}

PushTarget phone(std::string token, std::int64_t device)
{
    return Fixture::target(Carrier::apns, std::move(token), device);
}

} // namespace

// --- FCM: the project

TEST_CASE("a 429 response of FCM holds the project for its other keys, and in the other replicas", "[push]")
{
    Replicas f;
    CHECK(name_of(f.send(*f.one, key(), "QUOTA_EXCEEDED")) == "throttled QUOTA_EXCEEDED");
    REQUIRE(eventually([&] { return f.hold().has_value(); }));
    CHECK(f.hold()->left > 30s);
    CHECK(f.hold()->left <= 60s);
    for (auto const& held :
        {f.send(*f.one, other_key(), "a"), f.send(*f.two, key(), "b"), f.send(*f.two, other_key(), "c")}) {
        CHECK(is_held(held));
        CHECK(held.retry_after > 30s);
        CHECK(held.retry_after <= 60s);
    }
    CHECK(f.carriers.fcm.pushes() == 1);
    REQUIRE(eventually([&] { return f.two->status_of(*key()).state == State::throttled; }));
    CHECK(f.two->status_of(*key()).wait > 30s);
}

TEST_CASE("a 429 response of FCM does not hold the project for another tenant", "[push]")
{
    Replicas f;
    CHECK(name_of(f.send(*f.one, key(), "QUOTA_EXCEEDED")) == "throttled QUOTA_EXCEEDED");
    REQUIRE(eventually([&] { return f.hold().has_value(); }));
    CHECK_FALSE(f.hold(ben));
    CHECK(name_of(f.send(*f.one, key_of_ben(), "a", ben)) == "accepted");
    CHECK(name_of(f.send(*f.two, key_of_ben(), "b", ben)) == "accepted");
}

TEST_CASE("a replica without pushes knows that FCM throttles a project", "[push]")
{
    Replicas f;
    auto const began = f.carriers.clock.now();
    CHECK(f.status(*f.two, key(), ada).state == State::ok);
    CHECK(name_of(f.send(*f.one, key(), "QUOTA_EXCEEDED")) == "throttled QUOTA_EXCEEDED");
    REQUIRE(eventually([&] { return f.status(*f.two, other_key(), ada).state == State::throttled; }));
    CHECK(f.status(*f.two, other_key(), ada).since == began);
    CHECK(f.status(*f.two, other_key(), ada).wait > 30s);
    CHECK(f.status(*f.two, key_of_ben(), ben).state == State::ok);
    CHECK(f.status(*f.two, fcm_credential("other-project"), ada).state == State::ok);
    CHECK(f.status(*f.two, apns_credential(), ada).state == State::ok);
}

TEST_CASE("the pushes of all replicas go on after the hold of a project", "[push]")
{
    Replicas f({{"retryAfter", 1}});
    CHECK(name_of(f.send(*f.one, key(), "QUOTA_EXCEEDED")) == "throttled QUOTA_EXCEEDED");
    CHECK(eventually([&] { return name_of(f.send(*f.one, key(), "a")) == "accepted"; }));
    CHECK(eventually([&] { return name_of(f.send(*f.two, other_key(), "b")) == "accepted"; }));
}

TEST_CASE("permits that a replica took before the hold of a project are not used", "[push]")
{
    Replicas f;
    f.carriers.fcm.tokens({{"status", 503}, {"error", "server_error"}});
    CHECK(name_of(f.send(*f.two, key(), "a")) == "transient TOKEN_HTTP_503"); // its permit is left
    f.carriers.fcm.tokens({});
    f.quota.hold(ada, "demo-project", 1h, f.carriers.clock.now());
    REQUIRE(eventually([&] { return f.hold().has_value(); }));
    CHECK(eventually([&] { return is_held(f.send(*f.two, key(), "b")); }));
    CHECK(f.carriers.fcm.pushes() == 0);
}

TEST_CASE("a Retry-After of FCM without 429 holds only the credential in its replica", "[push]")
{
    Replicas f;
    CHECK(name_of(f.send(*f.one, key(), "UNAVAILABLE")) == "transient UNAVAILABLE");
    CHECK(is_held(f.send(*f.one, key(), "a")));
    CHECK(name_of(f.send(*f.two, key(), "b")) == "accepted");
    CHECK_FALSE(f.hold());
}

TEST_CASE("while Redis is down, a 429 response holds the credential in its replica", "[push]")
{
    Replicas f;
    f.redis.server.stop();
    CHECK(name_of(f.send(*f.one, key(), "QUOTA_EXCEEDED")) == "throttled QUOTA_EXCEEDED");
    CHECK(is_held(f.send(*f.one, key(), "a")));
    CHECK(name_of(f.send(*f.two, key(), "b")) == "accepted");
    CHECK(f.status(*f.two, key(), ada).state == State::ok);
}

// --- APNs: the device

TEST_CASE("a device that APNs throttles gets no push before its Retry-After ends", "[push]")
{
    Fixture f;
    std::string const token = "TooManyRequests_later";
    auto const limited = f.send({phone(token, 7)}).front();
    CHECK(name_of(limited) == "throttled TooManyRequests");
    CHECK_FALSE(limited.counts());
    auto const results = f.send({phone(token, 7), phone("aa", 8), phone(token, 7)});
    CHECK(is_held(results[0]));
    CHECK(results[0].retry_after == 60s);
    CHECK(name_of(results[1]) == "accepted"); // of another device
    CHECK(is_held(results[2]));
    f.clock.advance(59s);
    auto const later = f.send({phone(token, 7)}).front();
    CHECK(is_held(later));
    CHECK(later.retry_after == 1s);
    CHECK(f.apns.seen(token) == 1);

    f.clock.advance(1s);
    CHECK(name_of(f.send({phone(token, 7)}).front()) == "throttled TooManyRequests");
    CHECK(f.apns.seen(token) == 2);
}

TEST_CASE("a device that APNs throttles without Retry-After gets no push for a second", "[push]")
{
    Fixture f;
    CHECK(name_of(f.send({phone("TooManyRequests", 7)}).front()) == "throttled TooManyRequests");
    auto const held = f.send({phone("aa", 7)}).front();
    CHECK(is_held(held));
    CHECK(held.retry_after == 1s);
    f.clock.advance(1s);
    CHECK(name_of(f.send({phone("aa", 7)}).front()) == "accepted");
}

TEST_CASE("a shorter hold of a device does not replace a longer one", "[push]")
{
    Fixture f({}, one_connection());
    CHECK(name_of(f.send({phone("aa", 8)}).front()) == "accepted"); // now the server allows many streams
    f.apns.script({{"delay", 200}});                                // both pushes are in flight
    auto const results = f.send({phone("TooManyRequests_later", 7), phone("TooManyRequests", 7)});
    CHECK(name_of(results[0]) == "throttled TooManyRequests");
    CHECK(name_of(results[1]) == "throttled TooManyRequests");
    CHECK(f.send({phone("bb", 7)}).front().retry_after == 60s);
}

TEST_CASE("a credential holds at most a thousand devices, the last ones", "[push]")
{
    constexpr std::int64_t most = 1'000;
    Fixture f;
    f.apns.script({{"all", "TooManyRequests_later"}});
    CHECK(name_of(f.send({phone("aa", 0)}).front()) == "throttled TooManyRequests");
    std::vector<PushTarget> targets;
    targets.reserve(most);
    for (std::int64_t i = 1; i <= most; ++i)
        targets.push_back(phone("bb", i));
    for (auto const& result : f.send(targets))
        CHECK(name_of(result) == "throttled TooManyRequests");
    f.apns.script({{"all", nullptr}});
    CHECK(name_of(f.send({phone("aa", 0)}).front()) == "accepted");
    CHECK(is_held(f.send({phone("bb", most)}).front()));
}
