#include "core/shares.hpp"

#include <map>

namespace {

/// Lets each of these owners take as much as it is admitted, in turns; what each holds.
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

TEST_CASE("an owner that is alone gets a quarter, and more owners equal parts that leave some free")
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
        CHECK(shares.admits(owners)); // one more
    }
}

TEST_CASE("a few units are shared, too, and all of them are used by many")
{
    core::Shares<int> shares(10, 4, 1);
    CHECK(fill(shares, 1).at(0) == 8);
    fill(shares, 5);
    CHECK(shares.used() == 10);
    CHECK_FALSE(shares.admits(9));
    CHECK(shares.allowance(9) == 0);
}

TEST_CASE("what is given back is there for others, and what is too large for what is free is refused")
{
    core::Shares<int> bytes(100, 1, 3);
    CHECK_FALSE(bytes.admits(1, 101));
    CHECK(bytes.admits(1, 100)); // it holds nothing yet
    bytes.take(1, 20);
    CHECK(bytes.allowance(1) == 5);
    CHECK_FALSE(bytes.admits(1, 6));
    CHECK_FALSE(bytes.admits(2, 81));
    bytes.give(1, 20);
    CHECK(bytes.used() == 0);
    CHECK(bytes.admits(2, 81));
}

TEST_CASE("a scope has a share of its tenant's share, which leaves some to the tenant's other one")
{
    using core::Owner;
    core::OwnerShares shares(1'200, 1, 3);
    auto const take_all = [&](std::int64_t scope_id) {
        std::size_t taken = 0;
        for (; shares.admits(Owner::of(scope_id)); ++taken)
            shares.take(Owner::of(scope_id));
        return taken;
    };
    CHECK(take_all(3) == 225); // three quarters of a quarter
    CHECK(take_all(2) == 75);
    CHECK(take_all(4) > 0);
    auto const used = shares.used();
    shares.give(Owner::of(3), 50);
    CHECK(shares.used() == used - 50);
    CHECK(take_all(2) > 0);
    CHECK(take_all(3) == 0);
}

TEST_CASE("a scope that holds nothing may take what its tenant may, however large")
{
    core::OwnerShares shares(100, 1, 3);
    auto const sandbox = core::Owner::of(3);
    CHECK(shares.admits(sandbox, 100));
    CHECK_FALSE(shares.admits(sandbox, 101));
    shares.take(sandbox, 100);
    CHECK_FALSE(shares.admits(core::Owner::of(2)));
    shares.give(sandbox, 100);
    CHECK(shares.used() == 0);
    CHECK(shares.admits(sandbox, 100));
}
