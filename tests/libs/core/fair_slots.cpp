#include "core/fair_slots.hpp"

#include "support/contexts.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <future>
#include <mutex>
#include <vector>

using core::FairSlots;
using core::Owner;
using testing::eventually;
using Steady = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

constexpr auto long_wait = 1h; ///< no test waits that long

Owner owner(std::int64_t tenant)
{
    return Owner::of(core::Scope::of(core::TenantId{tenant}, core::Environment::production, "t").id);
}

struct Fixture {
    FairSlots::Slot take(std::int64_t tenant)
    {
        return contexts.await(slots.take(owner(tenant), Steady::now()));
    }

    testing::asio::awaitable<void> run(std::int64_t tenant)
    {
        auto const slot = co_await slots.take(owner(tenant), Steady::now() + long_wait);
        std::lock_guard const lock(mutex);
        order.push_back(slot ? tenant : 0);
    }

    /// Starts an operation that waits for a slot, and returns once it waits.
    void start(std::int64_t tenant)
    {
        auto const before = slots.waiting();
        started.push_back(contexts.start(run(tenant), started.size() % 2));
        REQUIRE(eventually([&] { return slots.waiting() == before + 1; }));
    }

    /// Waits for the end of all operations. Returns their tenants in the order in which they had a slot.
    std::vector<std::int64_t> finish()
    {
        for (auto& each : started)
            each.get();
        return order;
    }

    FairSlots slots;
    std::mutex mutex;
    std::vector<std::int64_t> order;
    std::vector<std::future<void>> started;
    testing::Contexts contexts{2};
};

} // namespace

TEST_CASE("slots are given out until all of them are in use, and again when one is returned")
{
    Fixture f{.slots = FairSlots({.slots = 5, .waiting = 0})};
    std::vector<FairSlots::Slot> taken;
    for (std::int64_t tenant = 1; tenant <= 5; ++tenant)
        taken.push_back(f.take(tenant));
    for (auto const& slot : taken)
        CHECK(slot);
    CHECK(f.slots.in_use() == 5);
    CHECK_FALSE(f.take(6));
    taken.pop_back();
    CHECK(f.slots.in_use() == 4);
    CHECK(f.take(6));
}

TEST_CASE("a tenant leaves slots for other tenants")
{
    Fixture f{.slots = FairSlots({.slots = 10, .waiting = 0})};
    std::vector<FairSlots::Slot> taken;
    while (auto slot = f.take(1))
        taken.push_back(std::move(slot));
    // One scope of a tenant has at most three quarters of the tenant's slots.
    CHECK(taken.size() == 6);
    CHECK(f.take(2));
}

TEST_CASE("a caller that gets no slot until its deadline gives up its turn")
{
    Fixture f{.slots = FairSlots({.slots = 1, .waiting = 10})};
    auto running = f.take(1);
    REQUIRE(running);
    CHECK_FALSE(f.contexts.await(f.slots.take(owner(1), Steady::now() + 1ms)));
    CHECK(f.slots.waiting() == 0);
    f.start(1);
    running.reset();
    CHECK(f.finish() == std::vector<std::int64_t>{1});
}

TEST_CASE("tenants take turns for the slots, however many callers of one tenant wait")
{
    Fixture f{.slots = FairSlots({.slots = 1, .waiting = 100})};
    auto running = f.take(1);
    for (std::int64_t const tenant : {1, 1, 1, 1, 2, 3})
        f.start(tenant);
    running.reset();
    CHECK(f.finish() == std::vector<std::int64_t>{1, 2, 3, 1, 1, 1});
    CHECK(f.slots.in_use() == 0);
}

TEST_CASE("the number of waiting callers is limited, and one tenant may have half of them")
{
    Fixture f{.slots = FairSlots({.slots = 1, .waiting = 8})};
    auto running = f.take(1);
    for (int i = 0; i < 3; ++i) // the tenant's half, of which one scope has three quarters
        f.start(1);
    CHECK_FALSE(f.contexts.await(f.slots.take(owner(1), Steady::now() + long_wait)));
    f.start(2);
    running.reset();
    CHECK(f.finish() == std::vector<std::int64_t>{1, 2, 1, 1});
}

TEST_CASE("a slot may outlive its FairSlots")
{
    testing::Contexts contexts;
    FairSlots::Slot slot;
    {
        FairSlots slots({.slots = 1, .waiting = 1});
        slot = contexts.await(slots.take(owner(1), Steady::now()));
    }
    CHECK(slot);
}
