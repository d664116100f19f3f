#include "sms/guard.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace sms {

namespace {

/// The share of each purpose, in thousandths of the allowance.
constexpr std::array<std::int64_t, core::names_of<Purpose>.size()> shares{500, 300, 200};

/// The part that the purpose `index` and the purposes after it may use together, in thousandths.
constexpr std::int64_t shares_from(std::size_t index) noexcept
{
    return std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(index), shares.end(), std::int64_t{});
}

static_assert(shares_from(0) == 1'000);

} // namespace

SenderGuard::SenderGuard(redis::Client& client, std::string sender, bool verified, std::int64_t per_minute)
    : quota_(client, "sms:sender"), sender_(std::move(sender)), name_(verified ? "minute" : "day"),
      allowance_(verified ? redis::Limit{per_minute, std::chrono::minutes(1)}
                          : redis::Limit{unverified_per_day, std::chrono::hours(24)})
{
}

SenderGuard::SenderGuard(redis::Client& client, std::string sender)
    : quota_(client, "sms:sender"), sender_(std::move(sender))
{
}

std::int64_t SenderGuard::part(std::int64_t per_mille) const noexcept
{
    return std::max<std::int64_t>(1, allowance_->count * per_mille / 1'000);
}

/// The counts of a message. The tenant's own limits come first, so that a tenant which has reached its limit
/// is told about this limit.
std::vector<SenderGuard::Count> SenderGuard::counts_of(
    Purpose purpose, std::optional<Tenant> const& tenant) const
{
    std::vector<Count> counts;
    auto const index = static_cast<std::size_t>(purpose);
    std::string const of_tenant = tenant ? "tenant:" + std::string(tenant->slug) + ':' : std::string();
    if (tenant) counts.push_back({of_tenant + "day", tenant->per_day, Refusal::tenant_day});
    if (!allowance_) return counts;
    if (tenant)
        counts.push_back(
            {of_tenant + std::string(to_string(purpose)), part(shares[index] / 2), Refusal::tenant_share});
    for (std::size_t from = index; from > 0; --from)
        counts.push_back(
            {"from:" + std::string(core::names_of<Purpose>[from]), part(shares_from(from)), Refusal::share});
    counts.push_back({name_, allowance_->count, Refusal::sender});
    return counts;
}

asio::awaitable<SenderGuard::Use> SenderGuard::take(Purpose purpose, std::optional<Tenant> tenant)
{
    auto counts = counts_of(purpose, tenant);
    if (counts.empty()) co_return Use{redis::Use{{.allowed = true}}, std::nullopt, {}};
    std::vector<redis::Limit> limits;
    limits.reserve(counts.size());
    std::vector<redis::Quota::Count> quotas;
    for (auto const& count : counts) {
        if (count.refusal == Refusal::tenant_day) {
            quotas.push_back({.name = count.name, .limits = {}, .per_day = count.limit});
            continue;
        }
        limits.push_back({count.limit, allowance_->window});
        quotas.push_back({.name = count.name, .limits = {&limits.back(), 1}});
    }
    Use use{co_await quota_.take(sender_, quotas), std::nullopt, {}};
    if (!use.allowed) use.refusal = counts.at(use.refused_by).refusal;
    for (auto& count : counts)
        use.counts.push_back(std::move(count.name));
    co_return use;
}

asio::awaitable<void> SenderGuard::give_back(Use const& use)
{
    if (!use.counts.empty()) co_await quota_.give_back(sender_, use.counts, use);
}

} // namespace sms
