#include "domain/retry.hpp"
#include "workers/push_run.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using namespace notify;

namespace {

core::Time const noon = *core::parse_rfc3339("2026-03-01T12:00:00Z");

PushResult result(
    Verdict verdict, std::string reason = {}, std::optional<std::chrono::seconds> retry_after = {})
{
    PushResult a;
    a.verdict = verdict;
    a.reason = std::move(reason);
    a.retry_after = retry_after;
    if (verdict == Verdict::accepted) a.provider_id = "accepted-1";
    return a;
}

Notification push(Status status = Status::queued)
{
    Notification n;
    n.id = core::Uuid::v7();
    n.channel = Channel::push;
    n.to = "ada";
    n.status = status;
    n.created_at = n.queued_at = noon;
    return n;
}

push_deliveries::Target device(std::int64_t id, DevicePlatform platform = DevicePlatform::android)
{
    push_deliveries::Target t;
    t.delivery.device_id = id;
    t.delivery.token = "token-" + std::to_string(id);
    t.delivery.platform = platform;
    t.registered_at = noon - 24h;
    return t;
}

carrier_configs::Sealed config(Carrier carrier)
{
    carrier_configs::Sealed c;
    c.carrier = carrier;
    c.updated_at = noon - 1h;
    return c;
}

carrier_configs::Sealed paused(Carrier carrier, core::Time until)
{
    auto c = config(carrier);
    c.paused_until = until;
    c.paused_reason = "PERMISSION_DENIED";
    return c;
}

PushRun android_run(std::vector<push_deliveries::Target> targets, Notification n = push())
{
    return {std::move(n), std::move(targets), {config(Carrier::fcm)}, noon};
}

std::vector<DeliveryStatus> statuses_of(PushRun const& run)
{
    std::vector<DeliveryStatus> out;
    for (auto const& delivery : run.changed())
        out.push_back(delivery.status);
    return out;
}

} // namespace

TEST_CASE("each device uses the carrier of its platform, and only a device without its carrier fails")
{
    PushRun run(push(), {device(1, DevicePlatform::ios), device(2), device(3, DevicePlatform::web)},
        {config(Carrier::fcm)}, noon);
    REQUIRE(run.targets().size() == 2);
    CHECK(run.targets()[0].device_id == 2);
    CHECK(run.targets()[1].device_id == 3);
    CHECK(run.targets()[1].carrier == Carrier::fcm);
    REQUIRE(run.changed().size() == 1);
    CHECK(run.changed()[0].status == DeliveryStatus::failed);
    CHECK(run.changed()[0].reason == failures::carrier_missing);

    run.apply(std::vector{result(Verdict::accepted), result(Verdict::refused, "INVALID_ARGUMENT")}, noon, 0);
    CHECK(run.accepted());
    CHECK_FALSE(run.next_run());
    CHECK(statuses_of(run) ==
          std::vector{DeliveryStatus::failed, DeliveryStatus::sent, DeliveryStatus::failed});
}

TEST_CASE("a push is accepted for one device, and is retried for another device at the time that its carrier "
          "stated")
{
    auto run = android_run({device(1), device(2)});
    run.apply(std::vector{result(Verdict::accepted), result(Verdict::throttled, "QUOTA_EXCEEDED", 60s)},
        noon + 1s, 0);
    CHECK(run.accepted());
    REQUIRE(run.next_run());
    CHECK(*run.next_run() == noon + 61s);
    CHECK(statuses_of(run) == std::vector{DeliveryStatus::sent, DeliveryStatus::pending});
    CHECK(run.changed()[0].provider_id == "accepted-1");
    CHECK(run.changed()[1].reason == "QUOTA_EXCEEDED");
    CHECK(run.changed()[1].attempts == 1);
}

TEST_CASE("devices with the status sent or invalid get no further push")
{
    auto sent = device(1);
    sent.delivery.status = DeliveryStatus::sent;
    auto invalid = device(2);
    invalid.delivery.status = DeliveryStatus::invalid;
    PushRun const run = android_run({sent, invalid, device(3)}, push(Status::sent));
    REQUIRE(run.targets().size() == 1);
    CHECK(run.targets()[0].device_id == 3);
}

TEST_CASE("a device that moved to another user gets no push for the old user")
{
    auto moved = device(1);
    moved.registered_at.reset();
    PushRun const run = android_run({moved});
    CHECK(run.targets().empty());
    CHECK_FALSE(run.counts());
    REQUIRE(run.changed().size() == 1);
    CHECK(run.changed()[0].reason == failures::device_removed);
    CHECK(run.reason() == failures::device_removed);
    CHECK_FALSE(run.next_run());
}

TEST_CASE("after the last retry a device fails with its last reason")
{
    auto n = push();
    n.attempts = max_retries;
    auto run = android_run({device(1)}, n);
    run.apply(std::vector{result(Verdict::transient, "UNAVAILABLE")}, noon + 50min, 0);
    CHECK_FALSE(run.next_run());
    CHECK(run.reason() == "UNAVAILABLE");
    CHECK(statuses_of(run) == std::vector{DeliveryStatus::failed});
}

TEST_CASE("a refused credential pauses its carrier, and the push waits for a new credential")
{
    PushRun run(push(), {device(1), device(2, DevicePlatform::ios)},
        {config(Carrier::fcm), config(Carrier::apns)}, noon);
    run.apply(
        std::vector{result(Verdict::credential, "PERMISSION_DENIED"), result(Verdict::accepted)}, noon, 0);
    CHECK(run.accepted());
    REQUIRE(run.paused_carriers().size() == 1);
    CHECK(run.paused_carriers()[0].carrier == Carrier::fcm);
    CHECK(run.paused_carriers()[0].refused == "PERMISSION_DENIED");
    CHECK(run.next_run() == noon + carrier_pause);
}

TEST_CASE("devices of a paused carrier wait, and fail after an hour")
{
    auto const until = noon + 30min;
    SECTION("they wait while there is time left")
    {
        PushRun const run(push(), {device(1)}, {paused(Carrier::fcm, until)}, noon);
        CHECK(run.targets().empty());
        CHECK_FALSE(run.counts());
        CHECK(run.next_run() == until);
        CHECK(statuses_of(run) == std::vector{DeliveryStatus::pending});
        CHECK(run.changed()[0].reason == "PERMISSION_DENIED");
        REQUIRE(run.paused_carriers().size() == 1);
        CHECK_FALSE(run.paused_carriers()[0].refused);
    }
    SECTION("they wait until the hour is over, even if the pause is longer")
    {
        PushRun const run(push(), {device(1)}, {paused(Carrier::fcm, noon + 90min)}, noon + 45min);
        CHECK(run.next_run() == noon + 60min);
    }
    SECTION("they fail when the hour is over")
    {
        PushRun const run(push(), {device(1)}, {paused(Carrier::fcm, noon + 90min)}, noon + 60min);
        CHECK_FALSE(run.next_run());
        CHECK(run.reason() == "PERMISSION_DENIED");
        CHECK(statuses_of(run) == std::vector{DeliveryStatus::failed});
    }
    SECTION("they are sent again after the pause")
    {
        PushRun run(push(), {device(1)}, {paused(Carrier::fcm, until)}, until);
        CHECK(run.targets().size() == 1);
    }
    SECTION("the device fails if it is refused again after the hour")
    {
        auto waited = device(1);
        waited.delivery.attempts = 1;
        PushRun run(push(), {waited}, {paused(Carrier::fcm, noon + 60min)}, noon + 60min);
        REQUIRE(run.targets().size() == 1);
        run.apply(std::vector{result(Verdict::credential, "PERMISSION_DENIED")}, noon + 60min, 0);
        CHECK_FALSE(run.next_run());
        CHECK(statuses_of(run) == std::vector{DeliveryStatus::failed});
    }
}

TEST_CASE("a push that was stopped or did not fit into the queue does not count as an attempt")
{
    for (auto const reason : {push_reasons::stopped, push_reasons::busy}) {
        auto run = android_run({device(1)});
        run.apply(std::vector{result(Verdict::transient, std::string(reason))}, noon, 0);
        CHECK_FALSE(run.counts());
        REQUIRE(run.changed().size() == 1);
        CHECK(run.changed()[0].attempts == 0);
        CHECK(run.changed()[0].status == DeliveryStatus::pending);
        CHECK(run.next_run() > noon);
    }
}

TEST_CASE("a device that was registered after its token became invalid is kept")
{
    auto run = android_run({device(1)});
    auto gone = result(Verdict::gone, "Unregistered");
    CHECK(run.gone(0, gone)->registered_at == noon - 24h);
    gone.gone_since = noon - 1h;
    CHECK(run.gone(0, gone)->device_id == 1);
    gone.gone_since = noon - 25h;
    CHECK_FALSE(run.gone(0, gone));
}

TEST_CASE("a push to a user without devices fails with NO_DEVICES")
{
    PushRun const run = android_run({});
    CHECK(run.targets().empty());
    CHECK_FALSE(run.next_run());
    CHECK_FALSE(run.counts());
    CHECK(run.reason() == failures::no_devices);
}
