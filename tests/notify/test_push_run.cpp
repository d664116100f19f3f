#include "domain/retry.hpp"
#include "push_results.hpp"
#include "workers/push_run.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace std::chrono_literals;
using namespace notify;

namespace {

core::Time const noon = *core::parse_rfc3339("2026-03-01T12:00:00Z");

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
    t.delivery.carrier = notify::carrier_of(platform);
    t.registered_at = noon - 24h;
    return t;
}

using Config = std::shared_ptr<carrier_configs::Sealed const>;

Config config(std::optional<core::Time> paused_until = {}, Carrier carrier = Carrier::fcm)
{
    auto c = std::make_shared<carrier_configs::Sealed>();
    c->carrier = carrier;
    c->updated_at = noon - 1h;
    c->paused_until = paused_until;
    if (paused_until) c->paused_reason = "PERMISSION_DENIED";
    return c;
}

PushRun android_run(
    std::vector<push_deliveries::Target> targets, Config sealed = config(), core::Time now = noon)
{
    return {push(), Carrier::fcm, std::move(targets), std::move(sealed), now};
}

/// The devices after a run, as they are stored.
std::vector<push_deliveries::Target> stored(PushRun const& run)
{
    std::vector<push_deliveries::Target> targets;
    targets.reserve(run.changed().size());
    for (auto const& delivery : run.changed()) {
        targets.push_back(device(delivery.device_id));
        targets.back().delivery = delivery;
    }
    return targets;
}

std::vector<DeliveryStatus> statuses_of(PushRun const& run)
{
    std::vector<DeliveryStatus> out;
    for (auto const& delivery : run.changed())
        out.push_back(delivery.status);
    return out;
}

} // namespace

TEST_CASE("a run pushes to the devices of its carrier, and each device has its own result")
{
    auto run = android_run({device(2), device(3, DevicePlatform::web)});
    CHECK(run.carrier() == Carrier::fcm);
    REQUIRE(run.targets().size() == 2);
    CHECK(run.targets()[0].device_id == 2);
    CHECK(run.targets()[0].token == "token-2");
    CHECK(run.targets()[1].device_id == 3);
    CHECK(run.targets()[1].carrier == Carrier::fcm);
    CHECK(run.device_of(1).delivery.token == "token-3");
    run.apply(std::vector{result(Verdict::accepted), result(Verdict::refused, "INVALID_ARGUMENT")}, noon, 0);
    CHECK(run.accepted());
    CHECK(run.counts());
    CHECK(run.attempts() == 1);
    CHECK_FALSE(run.next_run());
    CHECK(statuses_of(run) == std::vector{DeliveryStatus::sent, DeliveryStatus::failed});
}

TEST_CASE("a push through a carrier that is not configured fails")
{
    PushRun const run(push(), Carrier::apns, {device(1, DevicePlatform::ios)}, nullptr, noon);
    CHECK(run.targets().empty());
    CHECK_FALSE(run.next_run());
    CHECK(run.config() == nullptr);
    REQUIRE(run.changed().size() == 1);
    CHECK(run.changed()[0].status == DeliveryStatus::failed);
    CHECK(run.changed()[0].reason == failures::carrier_missing);
    CHECK(run.reason() == failures::carrier_missing);
}

TEST_CASE("a push is accepted for one device, and is retried for another device at the time that its carrier "
          "stated")
{
    auto run = android_run({device(1), device(2)});
    run.apply(
        std::vector{result(Verdict::accepted), result(Verdict::transient, "UNAVAILABLE", 60s)}, noon + 1s, 0);
    CHECK(run.accepted());
    REQUIRE(run.next_run());
    CHECK(*run.next_run() == noon + 61s);
    CHECK(statuses_of(run) == std::vector{DeliveryStatus::sent, DeliveryStatus::pending});
    CHECK(run.changed()[0].provider_id == "accepted-1");
    CHECK(run.changed()[1].reason == "UNAVAILABLE");
    CHECK(run.changed()[1].attempts == 1);
}

TEST_CASE("a throttled push counts no attempt, and waits as long as the carrier asks")
{
    auto run = android_run({device(1)});
    run.apply(std::vector{result(Verdict::throttled, "QUOTA_EXCEEDED", 60s)}, noon + 1s, 0);
    CHECK_FALSE(run.counts());
    CHECK(run.attempts() == 0);
    CHECK(run.next_run() == noon + 61s);
    CHECK(statuses_of(run) == std::vector{DeliveryStatus::pending});
    CHECK(run.changed()[0].attempts == 0);
    CHECK(run.changed()[0].reason == "QUOTA_EXCEEDED");
}

TEST_CASE("devices with the status sent or invalid get no further push")
{
    auto sent = device(1);
    sent.delivery.status = DeliveryStatus::sent;
    auto invalid = device(2);
    invalid.delivery.status = DeliveryStatus::invalid;
    PushRun const run(push(Status::sent), Carrier::fcm, {sent, invalid, device(3)}, config(), noon);
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
    auto tried = device(1);
    tried.delivery.attempts = max_retries;
    auto run = android_run({tried});
    run.apply(std::vector{result(Verdict::transient, "UNAVAILABLE")}, noon + 50min, 0);
    CHECK(run.attempts() == max_retries + 1);
    CHECK_FALSE(run.next_run());
    CHECK(run.reason() == "UNAVAILABLE");
    CHECK(statuses_of(run) == std::vector{DeliveryStatus::failed});
}

TEST_CASE("a refused credential pauses its carrier, and the push waits for a new credential")
{
    auto run = android_run({device(1), device(2)});
    run.apply(std::vector{result(Verdict::credential, "PERMISSION_DENIED"),
                  untried(Verdict::credential, "PERMISSION_DENIED")},
        noon, 0);
    CHECK_FALSE(run.accepted());
    REQUIRE(run.paused());
    CHECK(run.paused()->carrier == Carrier::fcm);
    CHECK(run.paused()->seen == noon - 1h);
    CHECK(run.paused()->refused == "PERMISSION_DENIED");
    CHECK(run.next_run() == noon + carrier_pause);
    CHECK(statuses_of(run) == std::vector{DeliveryStatus::pending, DeliveryStatus::pending});
}

TEST_CASE("devices of a paused carrier wait, and fail after an hour")
{
    auto const until = noon + 30min;
    SECTION("they wait while there is time left")
    {
        auto const run = android_run({device(1)}, config(until));
        CHECK(run.targets().empty());
        CHECK_FALSE(run.counts());
        CHECK(run.next_run() == until);
        CHECK(statuses_of(run) == std::vector{DeliveryStatus::pending});
        CHECK(run.changed()[0].reason == "PERMISSION_DENIED");
        REQUIRE(run.paused());
        CHECK_FALSE(run.paused()->refused);
    }
    SECTION("they wait until the hour is over, even if the pause is longer")
    {
        auto const run = android_run({device(1)}, config(noon + 90min), noon + 45min);
        CHECK(run.next_run() == noon + 60min);
    }
    SECTION("they fail when the hour is over")
    {
        auto const run = android_run({device(1)}, config(noon + 90min), noon + 60min);
        CHECK_FALSE(run.next_run());
        CHECK(run.reason() == "PERMISSION_DENIED");
        CHECK(statuses_of(run) == std::vector{DeliveryStatus::failed});
    }
    SECTION("they are sent again after the pause")
    {
        auto const run = android_run({device(1)}, config(until), until);
        CHECK(run.targets().size() == 1);
    }
    SECTION("the device fails if it is refused again after the hour")
    {
        auto waited = device(1);
        waited.delivery.attempts = 1;
        auto run = android_run({waited}, config(noon + 60min), noon + 60min);
        REQUIRE(run.targets().size() == 1);
        run.apply(std::vector{result(Verdict::credential, "PERMISSION_DENIED")}, noon + 60min, 0);
        CHECK_FALSE(run.next_run());
        CHECK(statuses_of(run) == std::vector{DeliveryStatus::failed});
    }
}

TEST_CASE(
    "a push whose credential is refused again and again, before any push is handed out, fails after the hour")
{
    // The carrier's authorization server refuses the credential, so there are no attempts.
    auto const refused = untried(Verdict::credential, "invalid_grant: Invalid JWT Signature.");
    auto first = android_run({device(1)});
    first.apply(std::vector{refused}, noon, 0);
    REQUIRE(first.next_run() == noon + carrier_pause);
    auto second = android_run(stored(first), config(*first.next_run()), *first.next_run());
    REQUIRE(second.targets().size() == 1);
    second.apply(std::vector{refused}, *first.next_run(), 0);
    CHECK_FALSE(second.next_run());
    CHECK(statuses_of(second) == std::vector{DeliveryStatus::failed});
    CHECK(second.reason() == "invalid_grant: Invalid JWT Signature.");
}

TEST_CASE("a push whose first attempt is late waits for a new credential once more")
{
    auto run = android_run({device(1)}, config(), noon + 2h);
    run.apply(std::vector{result(Verdict::credential, "PERMISSION_DENIED")}, noon + 2h, 0);
    CHECK(run.next_run() == noon + 2h + carrier_pause);
    CHECK(statuses_of(run) == std::vector{DeliveryStatus::pending});
    auto second = android_run(stored(run), config(), noon + 3h);
    second.apply(std::vector{result(Verdict::credential, "PERMISSION_DENIED")}, noon + 3h, 0);
    CHECK_FALSE(second.next_run());
    CHECK(statuses_of(second) == std::vector{DeliveryStatus::failed});
}

TEST_CASE("a push that was not handed out is untried: it keeps its place and counts no attempt")
{
    auto const untried_results = std::vector{untried(Verdict::transient, push_reasons::stopped),
        untried(Verdict::transient, push_reasons::busy), untried(Verdict::transient, push_reasons::not_sent),
        untried(Verdict::transient, push_reasons::down, 8s),
        untried(Verdict::throttled, push_reasons::throttled, 40s),
        untried(Verdict::transient, "TOKEN_HTTP_503")};
    for (auto const& each : untried_results) {
        INFO(each.reason);
        auto run = android_run({device(1)});
        run.apply(std::vector{each}, noon, 0);
        CHECK_FALSE(run.counts());
        CHECK(run.attempts() == 0);
        REQUIRE(run.changed().size() == 1);
        CHECK(run.changed()[0].attempts == 0);
        CHECK(run.changed()[0].status == DeliveryStatus::pending);
        CHECK(run.changed()[0].reason == each.reason);
        CHECK(run.next_run() == noon + each.retry_after.value_or(1s));
        CHECK_FALSE(run.paused());
    }
}

TEST_CASE("a push whose response is no longer awaited, and a failed probe, count no attempt")
{
    auto stopped = result(Verdict::transient, std::string(push_reasons::stopped));
    auto probe = result(Verdict::transient, "INTERNAL");
    probe.probe = true;
    for (auto const& each : {stopped, probe}) {
        INFO(each.reason);
        auto run = android_run({device(1)});
        run.apply(std::vector{each}, noon, 0);
        CHECK_FALSE(run.counts());
        CHECK(run.changed()[0].attempts == 0);
        CHECK(run.changed()[0].status == DeliveryStatus::pending);
    }
}

TEST_CASE("a successful probe is an attempt")
{
    auto probe = result(Verdict::accepted);
    auto run = android_run({device(1)});
    run.apply(std::vector{probe}, noon, 0);
    CHECK(run.counts());
    CHECK(run.accepted());
}

TEST_CASE("untried pushes do not all come back at once")
{
    std::set<core::Time> times;
    for (std::uint64_t entropy = 0; entropy < 3; ++entropy) {
        auto run = android_run({device(1)});
        run.apply(std::vector{untried(Verdict::transient, push_reasons::down, 20s)}, noon, entropy * 1'000);
        REQUIRE(run.next_run());
        CHECK(*run.next_run() >= noon + 20s);
        CHECK(*run.next_run() <= noon + 25s);
        times.insert(*run.next_run());
    }
    CHECK(times.size() == 3);
}

TEST_CASE("an untried push keeps its place for an hour")
{
    auto const down = untried(Verdict::transient, push_reasons::down, 30s);
    SECTION("the last run is at the end of the hour")
    {
        auto run = android_run({device(1)}, config(), noon + 60min - 5s);
        run.apply(std::vector{down}, noon + 60min - 5s, 0);
        CHECK(run.next_run() == noon + 60min);
        CHECK(statuses_of(run) == std::vector{DeliveryStatus::pending});
    }
    SECTION("it fails after the hour")
    {
        auto run = android_run({device(1)}, config(), noon + 60min);
        run.apply(std::vector{down}, noon + 60min, 0);
        CHECK_FALSE(run.next_run());
        CHECK(statuses_of(run) == std::vector{DeliveryStatus::failed});
        CHECK(run.reason() == push_reasons::down);
        CHECK_FALSE(run.counts());
    }
}

TEST_CASE("tried and untried devices of a run are handled separately")
{
    auto run = android_run({device(1), device(2), device(3)});
    run.apply(std::vector{result(Verdict::accepted), result(Verdict::transient, "INTERNAL"),
                  untried(Verdict::transient, push_reasons::down, 2s)},
        noon, 0);
    CHECK(run.counts());
    CHECK(run.attempts() == 1);
    REQUIRE(run.changed().size() == 3);
    CHECK(run.changed()[0].status == DeliveryStatus::sent);
    CHECK(run.changed()[1].status == DeliveryStatus::pending);
    CHECK(run.changed()[1].attempts == 1);
    CHECK(run.changed()[2].status == DeliveryStatus::pending);
    CHECK(run.changed()[2].attempts == 0);
    CHECK(run.next_run() == noon + 2s); // the earlier one
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
