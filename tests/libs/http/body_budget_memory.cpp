// The budget of request bodies must stay correct if a memory allocation fails.
#include "core/error.hpp"
#include "http/body_budget.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <limits>
#include <new>

using http::BodyBudget;

namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

thread_local constinit std::size_t left = never; ///< number of allocations before the one that fails

/// Makes one allocation of this thread by `new` fail, after `before` that succeed.
struct FailingAllocation {
    explicit FailingAllocation(std::size_t before) { left = before; }

    ~FailingAllocation() { left = never; }

    FailingAllocation(FailingAllocation const&) = delete;
    FailingAllocation& operator=(FailingAllocation const&) = delete;
};

void* allocate(std::size_t size) noexcept
{
    if (left != never && left-- == 0) return nullptr; // only once: `left` is `never` now
    return std::malloc(size > 0 ? size : 1);          // NOLINT: this implements `new`
}

} // namespace

// These operators replace the global `new` and `delete` of the whole test program. Other forms of `new` call
// these, or have a matching `delete`.
void* operator new(std::size_t size)
{
    if (void* const memory = allocate(size)) return memory;
    throw std::bad_alloc();
}

void* operator new(std::size_t size, std::nothrow_t const& /*tag*/) noexcept
{
    return allocate(size);
}

void operator delete(void* memory) noexcept
{
    std::free(memory); // NOLINT
}

void operator delete(void* memory, std::size_t /*size*/) noexcept
{
    std::free(memory); // NOLINT
}

namespace {

/// Whether the holder can take `bytes`. Gives them back before it returns.
bool can_have(BodyBudget& budget, BodyBudget::Holder const& holder, std::size_t bytes)
{
    try {
        budget.lease(holder)->grow(bytes);
        return true;
    } catch (core::Error const&) {
        return false;
    }
}

} // namespace

TEST_CASE("a failed allocation while bytes are counted does not change any share")
{
    constexpr std::size_t total = 1 << 20;
    auto const budget = BodyBudget::make(total);
    // Each whole share is available. If an amount whose allocation failed still counted, its share would be
    // too small.
    auto const check_shares = [&] {
        CHECK(budget->held() == 0);
        CHECK(can_have(*budget, {}, total));
        CHECK(can_have(*budget, {.scope_id = core::ScopeId{6}}, total / 8 * 3));
        CHECK(can_have(*budget, {.network = 2}, total / 4));
        CHECK(can_have(*budget, {.scope_id = core::ScopeId{6}, .anonymous = true}, total / 16 * 3));
        CHECK(can_have(*budget, {.address = 1, .anonymous = true}, total / 8));
        auto const other = budget->lease({.scope_id = core::ScopeId{8}, .anonymous = true});
        other->grow(total / 16 * 3);
        auto const another = budget->lease({.scope_id = core::ScopeId{10}, .anonymous = true});
        another->grow(total / 16 * 3);
        // Requests without a credential get half of the budget, including the two leases above.
        CHECK(can_have(*budget, {.scope_id = core::ScopeId{12}, .anonymous = true}, total / 8));
    };
    std::size_t failures = 0;
    for (bool is_taken = false; !is_taken;) {
        auto const lease =
            budget->lease({.address = 1, .network = 2, .scope_id = core::ScopeId{6}, .anonymous = true});
        try {
            FailingAllocation const failing(failures);
            lease->grow(total / 8);
            is_taken = true;
        } catch (std::bad_alloc const&) {
            ++failures;
            check_shares();
        }
    }
    CHECK(failures >= 6); // one new key in each of the six shares
    check_shares();
}
