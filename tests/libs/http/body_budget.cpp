#include "http/body_budget.hpp"

#include "core/error.hpp"

#include <catch2/catch.hpp>

#include <array>

using http::BodyBudget;

namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = kibibyte * kibibyte;

constexpr core::ScopeId production(std::int64_t tenant_id)
{
    return core::ScopeId{2 * tenant_id};
}

constexpr core::ScopeId sandbox(std::int64_t tenant_id)
{
    return core::ScopeId{2 * tenant_id + 1};
}

/// A budget that counts its refusals.
struct Counted {
    explicit Counted(std::size_t total)
        : budget(BodyBudget::make(
              total, [this](BodyBudget::Share share) { ++refusals[static_cast<std::size_t>(share)]; }))
    {
    }

    std::size_t refused(BodyBudget::Share share) const { return refusals[static_cast<std::size_t>(share)]; }

    std::array<std::atomic<std::size_t>, BodyBudget::share_names.size()> refusals{};
    std::shared_ptr<BodyBudget> budget;
};

/// Whether the lease can take `bytes`; otherwise it throws UNAVAILABLE.
bool takes(http::BodyLease& lease, std::size_t bytes)
{
    try {
        lease.grow(bytes);
        return true;
    } catch (core::Error const& error) {
        CHECK(error.code().name == "UNAVAILABLE");
        CHECK(error.headers().front() == std::pair<std::string, std::string>("Retry-After", "1"));
        return false;
    }
}

} // namespace

TEST_CASE("the memory of all leases is bounded, and is free again when they are destroyed")
{
    Counted c(mebibyte);
    auto first = c.budget->lease({});
    CHECK(c.budget->held() == 0);
    auto const second = c.budget->lease({});
    CHECK(takes(*first, 700 * kibibyte));
    CHECK_FALSE(takes(*second, 400 * kibibyte));
    CHECK(c.refused(BodyBudget::Share::process) == 1);
    CHECK(takes(*second, 300 * kibibyte));
    first->shrink(600 * kibibyte);
    CHECK(takes(*second, 600 * kibibyte));
    first.reset();
    CHECK(c.budget->held() == 900 * kibibyte);
}

TEST_CASE("networks, tenants, environments and requests without a credential have shares")
{
    Counted c(mebibyte);
    SECTION("a tenant gets half, and each of its environments gets three quarters of that half")
    {
        auto const first = c.budget->lease({.scope_id = sandbox(1)});
        auto const second = c.budget->lease({.network = 1, .scope_id = sandbox(1)});
        auto const live = c.budget->lease({.scope_id = production(1)});
        auto const other = c.budget->lease({.network = 1, .scope_id = production(2)});
        CHECK(takes(*first, 384 * kibibyte));
        CHECK_FALSE(takes(*second, 4 * kibibyte));
        CHECK(c.refused(BodyBudget::Share::environment) == 1);
        CHECK(takes(*live, 128 * kibibyte));
        CHECK_FALSE(takes(*live, 4 * kibibyte));
        CHECK(c.refused(BodyBudget::Share::tenant) == 1);
        CHECK(takes(*other, 256 * kibibyte)); // a refused amount is not counted for the network
    }
    SECTION("requests without a credential get half")
    {
        std::vector<std::shared_ptr<http::BodyLease>> leases;
        for (std::int64_t i = 0; i < 4; ++i) {
            leases.push_back(
                c.budget->lease({.address = i, .scope_id = production(1 + i), .anonymous = true}));
            CHECK(takes(*leases.back(), 128 * kibibyte));
        }
        auto const next = c.budget->lease({.address = 5, .scope_id = production(5), .anonymous = true});
        auto const known = c.budget->lease({.scope_id = production(5)});
        CHECK_FALSE(takes(*next, 4 * kibibyte));
        CHECK(takes(*known, 384 * kibibyte));
        CHECK(c.refused(BodyBudget::Share::anonymous) == 1);
    }
    SECTION("a network gets a quarter")
    {
        auto const first = c.budget->lease({.address = 1, .network = 1});
        auto const second = c.budget->lease({.address = 2, .network = 1});
        auto const other = c.budget->lease({.address = 2, .network = 2});
        CHECK(takes(*first, 200 * kibibyte));
        CHECK_FALSE(takes(*second, 100 * kibibyte));
        CHECK(takes(*other, 256 * kibibyte)); // a refused amount is not counted for the address
        CHECK(c.refused(BodyBudget::Share::network) == 1);
    }
    SECTION("requests without a credential from one address get an eighth")
    {
        auto const first = c.budget->lease({.address = 1, .scope_id = production(1), .anonymous = true});
        auto const second = c.budget->lease({.address = 1, .scope_id = production(2), .anonymous = true});
        auto const known = c.budget->lease({.address = 1, .scope_id = production(1)});
        CHECK(takes(*first, 100 * kibibyte));
        CHECK_FALSE(takes(*second, 100 * kibibyte));
        CHECK(takes(*known, 100 * kibibyte));
        CHECK(c.refused(BodyBudget::Share::anonymous_address) == 1);
    }
    SECTION("requests of one tenant without a credential get a quarter, and each environment gets three "
            "quarters of that quarter")
    {
        auto const first = c.budget->lease({.scope_id = sandbox(1), .anonymous = true});
        auto const second = c.budget->lease({.address = 2, .scope_id = sandbox(1), .anonymous = true});
        auto const live = c.budget->lease({.scope_id = production(1), .anonymous = true});
        auto const other = c.budget->lease({.address = 2, .scope_id = production(2), .anonymous = true});
        auto const without = c.budget->lease({.address = 3, .anonymous = true});
        CHECK(takes(*first, 192 * kibibyte));
        CHECK_FALSE(takes(*second, 4 * kibibyte));
        CHECK(c.refused(BodyBudget::Share::anonymous_environment) == 1);
        CHECK(takes(*live, 64 * kibibyte));
        CHECK_FALSE(takes(*live, 4 * kibibyte));
        CHECK(c.refused(BodyBudget::Share::anonymous_tenant) == 1);
        CHECK(takes(*other, 128 * kibibyte)); // a refused amount is not counted for the address
        CHECK(takes(*without, 128 * kibibyte));
    }
    CHECK(c.refused(BodyBudget::Share::process) == 0);
}

TEST_CASE("refused and returned amounts no longer count")
{
    Counted c(mebibyte);
    {
        std::vector<std::shared_ptr<http::BodyLease>> leases;
        for (std::int64_t i = 0; i < 200; ++i) {
            leases.push_back(c.budget->lease({.address = i % 7,
                .network = i % 5,
                .scope_id = production(1 + i % 3),
                .anonymous = i % 2 == 0}));
            if (takes(*leases.back(), 20 * kibibyte)) leases.back()->shrink(15 * kibibyte);
        }
        CHECK(c.budget->held() <= c.budget->total());
    }
    CHECK(c.budget->held() == 0);
    auto const all = c.budget->lease({.scope_id = production(1), .anonymous = true});
    CHECK(takes(*all, 192 * kibibyte));
}

TEST_CASE("a request that exceeds the whole share by itself gets 413 instead of 503")
{
    Counted c(mebibyte);
    auto const lease = c.budget->lease({.network = 1});
    lease->grow(100 * kibibyte);
    try {
        lease->grow(200 * kibibyte);
        FAIL("the lease took more than its share");
    } catch (core::Error const& error) {
        CHECK(error.code().name == "PAYLOAD_TOO_LARGE");
        CHECK_THAT(error.detail(), Catch::Contains("262144 bytes"));
    }
    CHECK(c.budget->held() == 100 * kibibyte);
}
