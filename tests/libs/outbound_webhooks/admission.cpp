#include "outbound_webhooks/admission.hpp"

#include "outbound_webhooks/policy.hpp"

#include <map>

using namespace std::chrono_literals;
using outbound_webhooks::Admission;
using Action = Admission::Action;

namespace {

/// Offers deliveries to an Admission and counts the verdicts.
struct Door {
    Admission admission;
    Admission::Steady::time_point now{};
    Admission::Id last = 0;
    std::vector<Admission::Id> flying;

    Admission::Verdict offer(
        core::Owner owner, std::string const& host, core::Uuid const& webhook, std::size_t bytes = 100)
    {
        auto const verdict = admission.offer(
            ++last, {.owner = owner, .host = host, .webhook = webhook, .bytes = bytes}, now, 512);
        if (verdict.action == Action::start) flying.push_back(verdict.id);
        return verdict;
    }

    Admission::Verdict offer(core::Owner owner, std::string const& host, std::size_t bytes = 100)
    {
        return offer(owner, host, core::Uuid::v7(), bytes);
    }

    /// Alternates between the tenant's environments.
    template <class... Args> Admission::Verdict offer(core::TenantId tenant, Args&&... args)
    {
        return offer(core::Owner::of(core::scopes_of(tenant)[last % 2]), std::forward<Args>(args)...);
    }

    std::vector<Admission::Verdict> end_first(bool timed_out = false, std::chrono::nanoseconds took = 15s)
    {
        auto const id = flying.front();
        flying.erase(flying.begin());
        auto verdicts = admission.finished(id, took, timed_out, now, 512);
        for (auto const& verdict : verdicts)
            if (verdict.action == Action::start) flying.push_back(verdict.id);
        return verdicts;
    }
};

} // namespace

TEST_CASE("a host has at most 10 attempts in flight, and one tenant has fewer")
{
    Door door;
    std::map<Action, int> actions;
    for (int i = 0; i < 100; ++i)
        ++actions[door.offer(core::TenantId{1}, "a:443").action];
    CHECK(actions[Action::start] == 8);
    CHECK(actions[Action::wait] == 20);
    CHECK(actions[Action::later] == 72);
    CHECK(door.offer(core::TenantId{2}, "a:443").action == Action::start);
    CHECK(door.offer(core::TenantId{3}, "a:443").action == Action::start);
    CHECK(door.offer(core::TenantId{4}, "a:443").action == Action::wait);
    CHECK(door.admission.in_flight() == outbound_webhooks::max_in_flight_per_host);
    CHECK(door.offer(core::TenantId{1}, "b:443").action == Action::start);
}

TEST_CASE("an environment leaves some of its tenant's places at a host to the other environment")
{
    Door door;
    auto const sandbox = core::Owner::of(core::ScopeId{3}), production = core::Owner::of(core::ScopeId{2});
    std::map<Action, int> actions;
    std::chrono::milliseconds longest{0};
    for (int i = 0; i < 10'000; ++i) {
        auto const verdict = door.offer(sandbox, "a:443");
        ++actions[verdict.action];
        longest = std::max(longest, verdict.pause);
    }
    CHECK(actions[Action::start] == 6);
    CHECK(actions[Action::wait] == 15);
    CHECK(longest > 1min);
    actions.clear();
    std::chrono::milliseconds first{0};
    for (int i = 0; i < 10; ++i) {
        auto const verdict = door.offer(production, "a:443");
        if (verdict.action == Action::later && actions[Action::later] == 0) first = verdict.pause;
        ++actions[verdict.action];
    }
    CHECK(actions[Action::start] == 2);
    CHECK(actions[Action::wait] == 5);
    CHECK(actions[Action::later] == 3);
    CHECK(first < 1s); // production's delivery does not wait behind the sandbox's
}

TEST_CASE("an environment leaves some of its tenant's memory and slow places to the other environment")
{
    Door door;
    auto const sandbox = core::Owner::of(core::ScopeId{3}), production = core::Owner::of(core::ScopeId{2});
    SECTION("it leaves memory")
    {
        std::size_t const size = 1U << 20;
        for (int i = 0; i < 64; ++i)
            door.offer(sandbox, "h" + std::to_string(i), size);
        CHECK(door.flying.size() == outbound_webhooks::max_payload_bytes / 4 * 3 / 4 / size);
        CHECK(door.offer(production, "other:443", size).action == Action::start);
    }
    SECTION("it leaves slow places")
    {
        std::vector<core::Uuid> hung;
        for (int i = 0; i < 100; ++i) {
            hung.push_back(core::Uuid::v7());
            door.offer(i < 50 ? sandbox : production, "h" + std::to_string(i), hung.back());
        }
        while (!door.flying.empty())
            door.end_first(true);
        auto const start = [&](core::Owner owner, std::size_t from) {
            for (std::size_t i = from; i < from + 50; ++i)
                door.offer(owner, "h" + std::to_string(i), hung[i]);
            return door.admission.slow();
        };
        CHECK(start(sandbox, 0) == outbound_webhooks::max_slow / 4 * 3 / 4);
        CHECK(start(production, 50) == outbound_webhooks::max_slow / 4);
    }
}

TEST_CASE("a waiting delivery starts when an attempt ends, oldest first within the shares")
{
    Door door;
    for (int i = 0; i < 10; ++i)
        door.offer(core::TenantId{1}, "a:443");
    door.offer(core::TenantId{2}, "a:443");
    door.offer(core::TenantId{3}, "a:443");
    auto const waiting = door.offer(core::TenantId{4}, "a:443");
    REQUIRE(waiting.action == Action::wait);
    REQUIRE(door.admission.waiting() == 3);
    // The place that tenant 1 releases goes to tenant 4, because tenant 1 still has seven.
    auto const verdicts = door.end_first();
    REQUIRE(verdicts.size() == 1);
    CHECK(verdicts[0].id == waiting.id);
    CHECK(verdicts[0].action == Action::start);
    while (!door.flying.empty())
        door.end_first();
    CHECK(door.admission.waiting() == 0);
    CHECK(door.admission.in_flight() == 0);
}

TEST_CASE("endpoints that timed out share a few places until they respond")
{
    Door door;
    std::vector<core::Uuid> hung;
    for (int i = 0; i < 400; ++i) {
        hung.push_back(core::Uuid::v7());
        REQUIRE(
            door.offer(core::TenantId{i % 50}, "h" + std::to_string(i), hung.back()).action == Action::start);
    }
    while (!door.flying.empty())
        door.end_first(true);
    REQUIRE(door.admission.slow() == 0);

    std::size_t started = 0, of_first = 0;
    for (int i = 0; i < 400; ++i) {
        auto const verdict =
            door.offer(core::TenantId{i % 50}, "h" + std::to_string(i), hung[static_cast<std::size_t>(i)]);
        if (verdict.action != Action::start) {
            CHECK(verdict.action == Action::later);
            CHECK(verdict.reason == Admission::Reason::slow);
            continue;
        }
        ++started;
        of_first += i % 50 == 0 ? 1 : 0;
    }
    CHECK(started <= outbound_webhooks::max_slow);
    CHECK(started > outbound_webhooks::max_slow / 2);
    CHECK(of_first <= 4);
    CHECK(door.admission.slow() == started);
    // An endpoint without a time-out gets a place, even if it belongs to the same tenant.
    CHECK(door.offer(core::TenantId{0}, "fresh:443").action == Action::start);
    door.flying.pop_back();
    // An endpoint that responds is no longer slow.
    door.end_first(false);
    CHECK(door.admission.slow() == started - 1);
    CHECK(door.offer(core::TenantId{0}, "h0", hung[0]).action == Action::start);
    CHECK(door.admission.slow() == started - 1);
    // An endpoint without an attempt for a long time is no longer slow either.
    door.now += outbound_webhooks::slow_for;
    CHECK(door.offer(core::TenantId{7}, "h399", hung[399]).action == Action::start);
    CHECK(door.admission.slow() == started - 1);
}

TEST_CASE("deliveries that wait for a slow host are postponed if the slow places are taken")
{
    Door door;
    auto const hook = core::Uuid::v7();
    for (int i = 0; i < 12; ++i)
        door.offer(core::TenantId{1}, "a:443", hook);
    REQUIRE(door.admission.waiting() == 4);
    // Other deliveries fill the slow places.
    std::vector<core::Uuid> hung;
    std::vector<Admission::Id> first = std::exchange(door.flying, {});
    for (int i = 0; i < 600; ++i) {
        hung.push_back(core::Uuid::v7());
        door.offer(core::TenantId{100 + i}, "h" + std::to_string(i), hung.back());
    }
    while (!door.flying.empty())
        door.end_first(true);
    for (int i = 0; i < 600; ++i)
        door.offer(core::TenantId{100 + i}, "h" + std::to_string(i), hung[static_cast<std::size_t>(i)]);
    REQUIRE(door.admission.slow() == outbound_webhooks::max_slow);
    auto const verdicts = door.admission.finished(first.front(), 15s, true, door.now, 0);
    REQUIRE(verdicts.size() == 4); // no delivery keeps waiting, because none could start
    CHECK(verdicts[0].action == Action::later);
    CHECK(verdicts[0].reason == Admission::Reason::slow);
    CHECK(door.admission.waiting() == 0);
}

TEST_CASE("a backlog is postponed for the time that its host needs for it, and at most ten minutes")
{
    Door door;
    for (int i = 0; i < 8; ++i)
        door.offer(core::TenantId{1}, "a:443");
    for (int i = 0; i < 8; ++i)
        door.end_first(true, 15s);
    std::chrono::milliseconds longest{0}, before{0};
    for (int i = 0; i < 2000; ++i) {
        auto const verdict = door.offer(core::TenantId{1}, "a:443");
        if (verdict.action != Action::later) continue;
        CHECK(verdict.pause >= 450ms);
        CHECK(verdict.pause <= 11min);
        longest = std::max(longest, verdict.pause);
        if (before.count() == 0) before = verdict.pause;
    }
    CHECK(before < 10s);
    CHECK(longest > 9min);
}

TEST_CASE("the memory of payloads is limited, in total and per tenant")
{
    Door door;
    std::size_t const size = 1U << 20;
    std::size_t held = 0;
    for (int i = 0; i < 64; ++i) {
        auto const verdict = door.offer(core::TenantId{1}, "h" + std::to_string(i), size);
        if (verdict.action == Action::start)
            held += size;
        else
            CHECK(verdict.reason == Admission::Reason::memory);
    }
    CHECK(held == outbound_webhooks::max_payload_bytes / 4);
    CHECK(door.offer(core::TenantId{2}, "other:443", size).action == Action::start);
    door.end_first();
    door.end_first();
    CHECK(door.offer(core::TenantId{1}, "h1", size).action == Action::start);
}

TEST_CASE("waiting deliveries are dropped when the process stops")
{
    Door door;
    for (int i = 0; i < 15; ++i)
        door.offer(core::TenantId{1}, "a:443");
    CHECK(door.admission.drop_waiting().size() == 7);
    CHECK(door.admission.waiting() == 0);
    CHECK(door.end_first().empty());
    while (!door.flying.empty())
        door.end_first();
    CHECK(door.admission.in_flight() == 0);
}
