#include "core/shares.hpp"

#include <map>

namespace {

/// Lets `owners` owners take units in turns until no owner is admitted. Returns the units of each owner.
std::map<int, std::size_t> fill(core::Shares<int>& shares, int owners)
{
    for (bool taken = true; taken;) {
        taken = false;
        for (int owner = 0; owner < owners; ++owner) {
            if (!shares.admits(owner)) continue;
            shares.take(owner);
            taken = true;
        }
    }
    std::map<int, std::size_t> held;
    for (int owner = 0; owner < owners; ++owner)
        held[owner] = shares.held(owner);
    return held;
}

} // namespace

TEST_CASE("a single owner gets a quarter, several get equal parts, and some capacity stays free")
{
    for (int const owners : {1, 2, 4, 20, 200}) {
        CAPTURE(owners);
        core::Shares<int> shares(1'200, 1, 3);
        auto const held = fill(shares, owners);
        std::size_t const expected = 1'200 / (static_cast<std::size_t>(owners) + 3);
        for (auto const& [owner, count] : held) {
            CHECK(count + 1 >= expected);
            CHECK(count <= expected + 1);
        }
        CHECK(shares.used() < shares.capacity());
        CHECK(shares.admits(owners)); // one more owner
    }
}

TEST_CASE("a small number of units is shared too, and many owners together use all units")
{
    core::Shares<int> shares(10, 4, 1);
    CHECK(fill(shares, 1).at(0) == 8);
    fill(shares, 5);
    CHECK(shares.used() == 10);
    CHECK_FALSE(shares.admits(9));
    CHECK(shares.allowance(9) == 0);
}

TEST_CASE("returned capacity is available to other owners, and an amount above the free capacity is refused")
{
    core::Shares<int> bytes(100, 1, 3);
    CHECK_FALSE(bytes.admits(1, 101));
    CHECK(bytes.admits(1, 100)); // the owner holds nothing yet
    bytes.take(1, 20);
    CHECK(bytes.allowance(1) == 5);
    CHECK_FALSE(bytes.admits(1, 6));
    CHECK_FALSE(bytes.admits(2, 81));
    bytes.give_back(1, 20);
    CHECK(bytes.used() == 0);
    CHECK(bytes.admits(2, 81));
}

TEST_CASE("a scope gets part of its tenant's share, and the rest stays for the tenant's other scope")
{
    using core::Owner;
    core::OwnerShares shares(1'200, 1, 3);
    auto const take_all = [&](core::ScopeId scope_id) {
        std::size_t taken = 0;
        for (; shares.admits(Owner::of(scope_id)); ++taken)
            shares.take(Owner::of(scope_id));
        return taken;
    };
    CHECK(take_all(core::ScopeId{3}) == 225); // three quarters of a quarter
    CHECK(take_all(core::ScopeId{2}) == 75);
    CHECK(take_all(core::ScopeId{4}) > 0);
    auto const used = shares.used();
    shares.give_back(Owner::of(core::ScopeId{3}), 50);
    CHECK(shares.used() == used - 50);
    CHECK(take_all(core::ScopeId{2}) > 0);
    CHECK(take_all(core::ScopeId{3}) == 0);
}

TEST_CASE("a scope that holds nothing may take any amount that its tenant may take")
{
    core::OwnerShares shares(100, 1, 3);
    auto const sandbox = core::Owner::of(core::ScopeId{3});
    CHECK(shares.admits(sandbox, 100));
    CHECK_FALSE(shares.admits(sandbox, 101));
    shares.take(sandbox, 100);
    CHECK_FALSE(shares.admits(core::Owner::of(core::ScopeId{2})));
    shares.give_back(sandbox, 100);
    CHECK(shares.used() == 0);
    CHECK(shares.admits(sandbox, 100));
}
