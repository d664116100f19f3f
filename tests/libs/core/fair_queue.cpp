#include "core/fair_queue.hpp"

#include "support/scopes.hpp"

#include <random>
#include <vector>

// Scopes 2 and 3 belong to one tenant, 4 and 5 to another, 6 to a third.

namespace {

using core::Owner;
using Queue = core::FairQueue<int>;

constexpr auto all = [](Owner) { return true; };

void push(Queue& queue, core::ScopeId scope_id, int count)
{
    for (int i = 0; i < count; ++i)
        queue.push(Owner::of(scope_id), i);
}

/// The scopes of the items, in the order in which they leave.
std::vector<core::ScopeId> pop_all(Queue& queue)
{
    std::vector<core::ScopeId> scopes;
    while (auto const next = queue.pop(all))
        scopes.push_back(next->first.scope);
    return scopes;
}

} // namespace

TEST_CASE("tenants take turns, and the scopes of a tenant take turns")
{
    Queue queue;
    push(queue, core::ScopeId{2}, 3);
    push(queue, core::ScopeId{3}, 2);
    push(queue, core::ScopeId{4}, 2);
    push(queue, core::ScopeId{0}, 1);
    CHECK(queue.size() == 8);
    CHECK(pop_all(queue) == testing::scopes({2, 4, 0, 3, 4, 2, 3, 2}));
    CHECK(queue.size() == 0);
}

TEST_CASE("items are counted by tenant and by scope until they leave")
{
    Queue queue;
    push(queue, core::ScopeId{2}, 3);
    push(queue, core::ScopeId{3}, 2);
    push(queue, core::ScopeId{4}, 1);
    CHECK(queue.size_of_tenant(core::TenantId{1}) == 5);
    CHECK(queue.size_of(Owner::of(core::ScopeId{3})) == 2);
    CHECK(queue.size_of(Owner::of(core::ScopeId{5})) == 0);
    CHECK(queue.size_of_tenant(core::TenantId{3}) == 0);
    queue.pop([](Owner owner) { return owner.scope == core::ScopeId{3}; });
    CHECK(queue.size_of_tenant(core::TenantId{1}) == 4);
    CHECK(queue.size_of(Owner::of(core::ScopeId{3})) == 1);
    CHECK(queue.remove_late([](int item) { return item == 0; }).size() == 2);
    CHECK(queue.size_of_tenant(core::TenantId{1}) == 3);
    CHECK(queue.size_of_tenant(core::TenantId{2}) == 0);
    CHECK(queue.size() == 3);
}

TEST_CASE("ahead_of is the number of items that leave before a new item")
{
    std::minstd_rand random(7);
    std::uniform_int_distribution<int> few(0, 4), many(0, 30), scope(0, 9);
    for (int round = 0; round < 500; ++round) {
        Queue queue;
        for (std::int64_t id = 0; id < 8; ++id)
            push(queue, core::ScopeId{id}, random() % 4 == 0 ? many(random) : few(random));
        // Takes some items first, so that the next turn does not always belong to the first scope.
        for (int taken = many(random); taken > 0; --taken)
            queue.pop(all);
        auto const owner = Owner::of(core::ScopeId{scope(random)});
        std::size_t const expected = queue.ahead_of(owner);
        queue.push(owner, -1);
        std::size_t ahead = 0;
        while (queue.pop(all)->second != -1)
            ++ahead;
        REQUIRE(ahead == expected);
    }
}
