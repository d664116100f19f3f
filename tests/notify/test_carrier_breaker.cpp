#include "crypto/hash.hpp"
#include "domain/broadcast.hpp"
#include "providers/breakers.hpp"
#include "providers/latency_floor.hpp"
#include "support/fake_clock.hpp"
#include "workers/flight_window.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace std::chrono_literals;
using namespace notify;

namespace {

using Event = CarrierBreaker::Event;

CarrierBreaker::Time const start{1h};

/// A breaker that opened at `start`, because the carrier did not connect.
CarrierBreaker opened()
{
    CarrierBreaker breaker;
    breaker.end(Event::unreachable, breaker.begin(), start);
    return breaker;
}

/// Lets a due probe fail. Returns how long after `now` the next probe is due.
std::chrono::seconds fail_probe(CarrierBreaker& breaker, CarrierBreaker::Time now)
{
    REQUIRE(breaker.may_send(now));
    REQUIRE(breaker.begin());
    CHECK_FALSE(breaker.end(Event::failed, true, now));
    return std::chrono::floor<std::chrono::seconds>(breaker.next_probe(now) - now);
}

std::string const google = "https://fcm.googleapis.com", apple = "https://api.push.apple.com";

} // namespace

// --- the breaker of an origin

TEST_CASE("a carrier that does not connect opens its breaker at once", "[push]")
{
    CarrierBreaker breaker;
    CHECK_FALSE(breaker.open());
    CHECK_FALSE(breaker.since());
    CHECK(breaker.may_send(start));
    CHECK_FALSE(breaker.begin()); // an ordinary push
    CHECK(breaker.end(Event::unreachable, false, start));
    CHECK(breaker.open());
    CHECK(breaker.since() == start);
    CHECK_FALSE(breaker.may_send(start));
    CHECK(breaker.wait(start) == 2s);
}

TEST_CASE("five failures in a row open the breaker", "[push]")
{
    CarrierBreaker breaker;
    for (int i = 0; i < 4; ++i)
        CHECK_FALSE(breaker.end(Event::failed, false, start));
    CHECK_FALSE(breaker.end(Event::answered, false, start)); // it was not open
    for (int i = 0; i < 4; ++i)
        CHECK_FALSE(breaker.end(Event::failed, false, start));
    CHECK(breaker.may_send(start));
    CHECK(breaker.end(Event::failed, false, start));
    CHECK(breaker.open());
}

TEST_CASE("probes follow after 2 s, then after pauses that double up to 30 s", "[push]")
{
    auto breaker = opened();
    auto now = start;
    CHECK_FALSE(breaker.may_send(now + 2s - 1ms));
    now += 2s;
    for (auto const pause : {4s, 8s, 16s, 30s, 30s}) {
        CHECK(fail_probe(breaker, now) == pause);
        CHECK_FALSE(breaker.may_send(now + pause - 1ms));
        now += pause;
    }
    CHECK(breaker.since() == start);
}

TEST_CASE("one probe is in flight at a time", "[push]")
{
    auto breaker = opened();
    REQUIRE(breaker.begin());
    CHECK_FALSE(breaker.may_send(start + 1h));
    CHECK(breaker.wait(start + 1h) == CarrierBreaker::first_pause);
    CHECK(breaker.next_probe(start + 1h) == start + 1h + CarrierBreaker::first_pause);
    breaker.withdraw_probe();
    CHECK(breaker.may_send(start + 1h)); // another push may be the probe
    REQUIRE(breaker.begin());
    CHECK_FALSE(breaker.end(Event::unreachable, true, start + 1h));
    CHECK(breaker.wait(start + 1h) == 4s);
}

TEST_CASE("any answer closes the breaker", "[push]")
{
    bool const probe = GENERATE(true, false); // or the answer to a request that was sent before it opened
    auto breaker = opened();
    fail_probe(breaker, start + 2s);
    if (probe) breaker.begin();
    CHECK(breaker.end(Event::answered, probe, start + 10s));
    CHECK_FALSE(breaker.open());
    CHECK_FALSE(breaker.since());
    CHECK(breaker.may_send(start + 10s));
    CHECK_FALSE(breaker.begin());
    CHECK(breaker.wait(start + 10s) == 1s);
    // The failures before do not count, and the pauses begin again.
    for (int i = 0; i < 4; ++i)
        CHECK_FALSE(breaker.end(Event::failed, false, start + 10s));
    CHECK(breaker.end(Event::failed, false, start + 10s));
    CHECK(breaker.wait(start + 10s) == 2s);
}

TEST_CASE("late failures of requests in flight do not move the probe", "[push]")
{
    auto breaker = opened();
    auto const due = breaker.next_probe(start);
    for (auto const late : {Event::failed, Event::unreachable}) {
        for (int i = 0; i < 100; ++i)
            CHECK_FALSE(breaker.end(late, false, start + 1s));
    }
    CHECK(breaker.since() == start);
    CHECK(breaker.next_probe(start + 1s) == due);
    REQUIRE(breaker.begin());
    CHECK_FALSE(breaker.end(Event::failed, false, start + 2s));
    CHECK_FALSE(breaker.may_send(start + 2s)); // the probe is still in flight
    CHECK_FALSE(breaker.end(Event::failed, true, start + 2s));
    CHECK(breaker.next_probe(start + 2s) == start + 2s + 4s);
}

TEST_CASE("a push that is not sent waits a second at least", "[push]")
{
    auto const breaker = opened();
    CHECK(breaker.wait(start + 500ms) == 2s);
    CHECK(breaker.wait(start + 1'500ms) == 1s);
    CHECK(breaker.wait(start + 1min) == 1s);
}

// --- the breakers of a process

TEST_CASE("the state of a breaker is published while it is open", "[push]")
{
    testing::FakeClock clock;
    std::vector<std::string> told;
    Breakers breakers(clock, [&](Carrier carrier, std::string_view origin, bool open) {
        told.push_back(
            std::string(to_string(carrier)) + ' ' + std::string(origin) + (open ? " down" : " up"));
    });
    CHECK_FALSE(breakers.find_open(Carrier::fcm, google));
    auto const before = std::chrono::steady_clock::now();
    breakers.end(Carrier::fcm, google, Event::unreachable, false);
    auto const open = breakers.find_open(Carrier::fcm, google);
    REQUIRE(open);
    CHECK(open->carrier == Carrier::fcm);
    CHECK(open->origin == google);
    CHECK(open->since == clock.now());
    CHECK(open->next_probe >= before + 2s);
    CHECK(told == std::vector{"fcm " + google + " down"});
    CHECK_FALSE(breakers.find_open(Carrier::apns, apple));
    CHECK_FALSE(breakers.of(Carrier::apns, apple).open());
    CHECK(breakers.all_open().size() == 1);

    auto const opened_at = clock.now();
    clock.advance(1min);
    CHECK(breakers.begin(Carrier::fcm, google));
    breakers.end(Carrier::fcm, google, Event::failed, true);
    CHECK(breakers.find_open(Carrier::fcm, google)->since == opened_at);
    CHECK(breakers.find_open(Carrier::fcm, google)->next_probe >= before + 4s);
    breakers.withdraw_probe(Carrier::fcm, google);
    CHECK(told.size() == 1);

    breakers.end(Carrier::fcm, google, Event::answered, false);
    CHECK_FALSE(breakers.find_open(Carrier::fcm, google));
    CHECK(breakers.all_open().empty());
    CHECK(told == std::vector{"fcm " + google + " down", "fcm " + google + " up"});
    breakers.end(Carrier::fcm, google, Event::answered, false);
    CHECK(told.size() == 2);
}

TEST_CASE("the number of breakers of Web Push is bounded, and other carriers keep theirs", "[push]")
{
    testing::FakeClock const clock;
    Breakers breakers(clock, {});
    auto const& fcm = breakers.of(Carrier::fcm, google);
    breakers.end(Carrier::fcm, google, Event::unreachable, false);
    auto const origin = [](std::size_t i) { return "https://push-" + std::to_string(i) + ".example"; };
    std::string const sound = "https://sound.example";
    breakers.end(Carrier::webpush, sound, Event::answered, false);
    for (std::size_t i = 0; i < Breakers::capacity + 100; ++i) {
        breakers.end(Carrier::webpush, origin(i), Event::unreachable, false);
        CHECK_FALSE(breakers.of(Carrier::webpush, sound).open()); // it is used, so it stays
    }
    CHECK(breakers.all_open().size() == Breakers::capacity); // one of FCM, and all but one of Web Push
    CHECK(&breakers.of(Carrier::fcm, google) == &fcm);
    CHECK(fcm.open());
    CHECK_FALSE(breakers.find_open(Carrier::webpush, origin(0)));
    CHECK(breakers.find_open(Carrier::webpush, origin(Breakers::capacity)));
}

TEST_CASE("the breakers of scopes do not replace the breakers of origins", "[push]")
{
    testing::FakeClock const clock;
    Breakers breakers(clock, {});
    std::string const origin = "https://push.example";
    auto const scope = [](std::size_t i) {
        return Breakers::sender_of(core::ScopeId{static_cast<std::int64_t>(i)});
    };
    breakers.end(Carrier::webpush, origin, Event::unreachable, false);
    for (std::size_t i = 0; i < Breakers::capacity + 100; ++i)
        breakers.end(Carrier::webpush, origin, Event::unreachable, false, scope(i));
    CHECK(breakers.all_open().size() == 1 + Breakers::capacity);
    CHECK(breakers.find_open(Carrier::webpush, origin));
    CHECK(breakers.find(Carrier::webpush, origin, scope(0)) == nullptr);
    auto const* const last = breakers.find(Carrier::webpush, origin, scope(Breakers::capacity));
    REQUIRE(last != nullptr);
    CHECK(last->open());
    // A breaker that does not exist has no probe.
    breakers.withdraw_probe(Carrier::webpush, origin, scope(0));
    CHECK(breakers.find(Carrier::webpush, origin, scope(0)) == nullptr);
}

TEST_CASE("a scope's open breaker shows whether the origin has ever answered", "[push]")
{
    testing::FakeClock const clock;
    Breakers breakers(clock, {});
    std::string const origin = "https://push.example";
    auto const scope = Breakers::sender_of(core::ScopeId{2});
    CHECK(scope != Breakers::sender_of(core::ScopeId{3}));
    CHECK(scope != Breakers::sender_of(core::TenantId{2}));
    breakers.end(Carrier::webpush, origin, Event::unreachable, false, scope);
    CHECK_FALSE(breakers.all_open().at(0).has_answered);
    CHECK(breakers.all_open().at(0).sender == scope);
    breakers.end(Carrier::webpush, origin, Event::answered, false);
    breakers.end(Carrier::webpush, origin, Event::failed, true, scope);
    CHECK(breakers.all_open().at(0).has_answered);
}

TEST_CASE("a credential's own breaker is independent of other credentials and of its origin's", "[push]")
{
    testing::FakeClock const clock;
    Breakers breakers(clock, {});
    auto const failing = crypto::sha256("failing"), sound = crypto::sha256("sound");
    breakers.end(Carrier::fcm, google, Event::unreachable, false, failing);
    CHECK(breakers.find_open(Carrier::fcm, google, failing));
    CHECK_FALSE(breakers.find_open(Carrier::fcm, google, sound));
    CHECK_FALSE(breakers.find_open(Carrier::fcm, google));
    CHECK_FALSE(breakers.of(Carrier::fcm, google).open());
    CHECK_FALSE(breakers.of(Carrier::fcm, google, sound).open());
    CHECK(breakers.all_open().size() == 1);
    breakers.end(Carrier::fcm, google, Event::answered, false, sound);
    CHECK(breakers.find_open(Carrier::fcm, google, failing));
    breakers.forget(Carrier::fcm, google, failing);
    CHECK(breakers.all_open().empty());
    CHECK_FALSE(breakers.of(Carrier::fcm, google, failing).open());
}

TEST_CASE("five failures in a row open the breaker of an origin, three of them of one tenant", "[push]")
{
    testing::FakeClock const clock;
    Breakers breakers(clock, {});
    auto const& of_all = breakers.of(Carrier::fcm, google);
    auto const fail = [&](char const* credential, int times) {
        for (int i = 0; i < times; ++i)
            breakers.note_failure(Carrier::fcm, google, crypto::sha256(credential));
    };
    fail("one", 100);
    fail("two", 1);
    CHECK_FALSE(of_all.open());
    breakers.end(Carrier::fcm, google, Event::answered, false);
    fail("two", 100);
    fail("one", 1);
    CHECK_FALSE(of_all.open());
    fail("one", 1);
    CHECK(of_all.open());
    breakers.end(Carrier::fcm, google, Event::answered, false);
    CHECK_FALSE(of_all.open());
    for (auto const* each : {"one", "two", "three", "four"})
        fail(each, 1);
    CHECK_FALSE(of_all.open());
    fail("five", 1);
    CHECK(of_all.open());
}

TEST_CASE("an open breaker shows whether its origin has ever answered", "[push]")
{
    testing::FakeClock const clock;
    Breakers breakers(clock, {});
    breakers.end(Carrier::webpush, "https://never.example", Event::unreachable, false);
    breakers.end(Carrier::webpush, "https://once.example", Event::answered, false);
    breakers.end(Carrier::webpush, "https://once.example", Event::unreachable, false);
    CHECK_FALSE(breakers.find_open(Carrier::webpush, "https://never.example")->has_answered);
    CHECK(breakers.find_open(Carrier::webpush, "https://once.example")->has_answered);
}

// --- the least latency of a carrier

TEST_CASE("the shortest latency of the last 30 to 60 seconds is known", "[push]")
{
    LatencyFloor floor;
    auto now = start;
    auto const answer_after = [&](std::chrono::microseconds latency) { floor.add(now - latency, now); };
    CHECK(floor.get() == 0us);
    answer_after(40ms);
    CHECK(floor.get() == 40ms);
    answer_after(250us);
    answer_after(90ms);
    CHECK(floor.get() == 250us);
    now += 31s; // another period begins
    answer_after(70ms);
    CHECK(floor.get() == 250us);
    now += 31s;
    answer_after(80ms);
    CHECK(floor.get() == 70ms);
}

TEST_CASE("a latency from before a long pause is forgotten", "[push]")
{
    LatencyFloor floor;
    floor.add(start - 1ms, start);
    auto const later = start + 10min;
    floor.add(later - 80ms, later);
    CHECK(floor.get() == 80ms);
}

// --- the window of a tenant's broadcasts

TEST_CASE("a tenant's window follows the rate of its answers and the latency of the carrier", "[broadcast]")
{
    FlightWindows windows;
    core::TenantId const ada{1}, ben{2};
    std::size_t const least = FlightWindows::least / 50;
    CHECK(windows.limit(ada, 0ms, 50, start) == least);
    CHECK(windows.limit(core::no_tenant, 5s, 50, start) == least);
    for (int n = 0; n < 80; ++n)
        windows.ended(ada, 50, start);
    for (int n = 0; n < 120; ++n)
        windows.ended(ada, 50, start + 400ms);
    // 20,000 devices per second. In the latency, 2,000 of them are answered; a quarter more keeps the
    // connections busy.
    CHECK(windows.limit(ada, 100ms, 50, start + 500ms) == least + 2'500 / 50);
    CHECK(windows.limit(ada, 0ms, 50, start + 500ms) == least);
    CHECK(windows.limit(ben, 100ms, 50, start + 500ms) == least);
    CHECK(windows.limit(core::no_tenant, 100ms, 50, start + 500ms) == least + 2'500 / 50);
    // The first chunks ended more than half a second ago.
    CHECK(windows.limit(ada, 100ms, 50, start + 501ms) == least + 1'500 / 50);
    CHECK(windows.limit(ada, 100ms, 50, start + 901ms) == least);
    CHECK(windows.limit(core::no_tenant, 100ms, 50, start + 901ms) == least);
}

TEST_CASE("for a fast carrier, a window allows for the time that chunks take to be read and recorded",
    "[broadcast]")
{
    FlightWindows windows;
    core::TenantId const ada{1};
    for (int n = 0; n < 1'000; ++n)
        windows.ended(ada, 50, start);
    CHECK(windows.limit(ada, 0ms, 50, start) == 1'500 / 50); // 100,000 devices per second, 15 ms
}

TEST_CASE("a window has a maximum", "[broadcast]")
{
    FlightWindows windows;
    core::TenantId const ada{1};
    for (int n = 0; n < 10'000; ++n)
        windows.ended(ada, 100, start);
    CHECK(windows.limit(ada, 10s, 100, start) == FlightWindows::most / 100);
    windows.ended(core::TenantId{2}, 0, start);
    CHECK(windows.limit(core::TenantId{2}, 10s, 100, start) == FlightWindows::least_chunks);
}

TEST_CASE("a window of large chunks has few chunks, but never fewer than three", "[broadcast]")
{
    FlightWindows windows;
    core::TenantId const ada{1};
    windows.ended(ada, 1'000, start);
    CHECK(windows.limit(ada, 0ms, 100, start) == 3);
    for (int n = 0; n < 9; ++n)
        windows.ended(ada, 1'000, start);
    CHECK(windows.limit(ada, 1s, 100, start) == (300 + 25'000) / 1'000);
}

TEST_CASE("chunks grow with their broadcast", "[broadcast]")
{
    CHECK(chunk_size(100, 0) == 100);
    CHECK(chunk_size(100, 20'000) == 100);
    CHECK(chunk_size(100, 50'000) == 250);
    CHECK(chunk_size(100, 10'000'000) == 400);
}
