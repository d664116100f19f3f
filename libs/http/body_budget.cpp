#include "http/body_budget.hpp"

#include "core/error.hpp"
#include "core/fair_queue.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace http {

namespace {

/// Memory is taken from the budget in steps of this size. A typical request takes few steps; a client that
/// has sent only a few bytes holds one step.
constexpr std::size_t step = 1024;

std::size_t whole_steps(std::size_t bytes) noexcept
{
    return (bytes + step - 1) / step * step;
}

bool take_from(std::atomic<std::size_t>& held, std::size_t bytes, std::size_t limit) noexcept
{
    if (held.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit) return true;
    held.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
}

} // namespace

BodyBudget::BodyBudget(std::size_t total, std::function<void(Share)> refused)
    : total_(total), refused_(std::move(refused)), tenants_(limit_of(Share::tenant)),
      environments_(limit_of(Share::environment)), networks_(limit_of(Share::network)),
      anonymous_tenants_(limit_of(Share::anonymous_tenant)),
      anonymous_environments_(limit_of(Share::anonymous_environment)),
      anonymous_addresses_(limit_of(Share::anonymous_address))
{
}

std::shared_ptr<BodyBudget> BodyBudget::make(std::size_t total, std::function<void(Share)> refused)
{
    return std::shared_ptr<BodyBudget>(new BodyBudget(total, std::move(refused)));
}

std::shared_ptr<BodyLease> BodyBudget::lease(Holder const& holder)
{
    return std::make_shared<BodyLease>(shared_from_this(), holder);
}

std::size_t BodyBudget::limit_of(Share share) const noexcept
{
    switch (share) {
    case Share::anonymous:
    case Share::tenant:
        return total_ / 2;
    case Share::network:
    case Share::anonymous_tenant:
        return total_ / 4;
    case Share::environment:
        return core::share_of(limit_of(Share::tenant));
    case Share::anonymous_environment:
        return core::share_of(limit_of(Share::anonymous_tenant));
    case Share::anonymous_address:
        return total_ / 8;
    case Share::process:
        break;
    }
    return total_;
}

std::array<BodyBudget::Part, 6> BodyBudget::parts_of(Holder const& holder) noexcept
{
    auto const owner = core::Owner::of(holder.scope_id);
    auto const when = [](bool counts, auto id) {
        return counts ? std::optional(core::number(id)) : std::nullopt;
    };
    bool const anonymous = holder.anonymous;
    bool const has_tenant = holder.scope_id != core::no_scope;
    // Anonymous requests without a tenant count together, under tenant 0.
    return {Part{Share::anonymous_address, &anonymous_addresses_, anonymous ? holder.address : std::nullopt},
        Part{Share::network, &networks_, holder.network},
        Part{Share::anonymous_environment, &anonymous_environments_,
            when(anonymous && has_tenant, owner.scope)},
        Part{Share::anonymous_tenant, &anonymous_tenants_, when(anonymous, owner.tenant)},
        Part{Share::environment, &environments_, when(has_tenant, owner.scope)},
        Part{Share::tenant, &tenants_, when(has_tenant, owner.tenant)}};
}

std::optional<BodyBudget::Share> BodyBudget::take(Holder const& holder, std::size_t bytes)
{
    if (!take_from(held_, bytes, total_)) return Share::process;
    if (holder.anonymous && !take_from(anonymous_, bytes, limit_of(Share::anonymous))) {
        held_.fetch_sub(bytes, std::memory_order_relaxed);
        return Share::anonymous;
    }
    auto const parts = parts_of(holder);
    std::size_t taken = 0;
    auto const undo = [&]() noexcept {
        for (std::size_t i = 0; i < taken; ++i)
            if (parts[i].key) parts[i].limit->give_back(*parts[i].key, bytes);
        if (holder.anonymous) anonymous_.fetch_sub(bytes, std::memory_order_relaxed);
        held_.fetch_sub(bytes, std::memory_order_relaxed);
    };
    try {
        for (; taken < parts.size(); ++taken) {
            auto const& part = parts[taken];
            if (!part.key || part.limit->take(*part.key, bytes)) continue;
            undo();
            return part.share;
        }
    } catch (...) { // KeyedBudget::take allocates memory for a new key
        undo();
        throw;
    }
    return std::nullopt;
}

void BodyBudget::give_back(Holder const& holder, std::size_t bytes) noexcept
{
    for (auto const& part : parts_of(holder))
        if (part.key) part.limit->give_back(*part.key, bytes);
    if (holder.anonymous) anonymous_.fetch_sub(bytes, std::memory_order_relaxed);
    held_.fetch_sub(bytes, std::memory_order_relaxed);
}

BodyLease::~BodyLease()
{
    if (taken_ > 0) budget_->give_back(holder_, taken_);
}

void BodyLease::grow(std::size_t bytes)
{
    std::size_t const wanted = whole_steps(used_ + bytes);
    if (wanted > taken_) {
        if (auto const used_up = budget_->take(holder_, wanted - taken_)) {
            if (budget_->refused_) budget_->refused_(*used_up);
            auto const limit = budget_->limit_of(*used_up);
            if (wanted > limit)
                throw core::Error(core::codes::payload_too_large,
                    "To read and parse this body would take more than " + std::to_string(limit) +
                        " bytes of memory, the limit for this request. Send a smaller body.");
            throw core::Error::unavailable("Too many request bodies are in memory. Retry later.");
        }
        taken_ = wanted;
    }
    used_ += bytes;
}

void BodyLease::shrink(std::size_t bytes) noexcept
{
    used_ -= bytes;
    // One step is kept, so that the next `grow` need not take it from the budget again.
    std::size_t const kept = std::max(whole_steps(used_), step);
    if (kept >= taken_) return;
    budget_->give_back(holder_, taken_ - kept);
    taken_ = kept;
}

void BodyLease::hold_body(std::size_t bytes)
{
    if (bytes > body_)
        grow(bytes - body_);
    else
        shrink(body_ - bytes);
    body_ = bytes;
}

} // namespace http
