#include "sms/guard.hpp"

#include <algorithm>
#include <utility>

namespace sms {

SenderGuard::SenderGuard(redis::Client& client, std::string sender, bool verified, std::int64_t per_minute)
    : quota_(client, "sms:sender"), sender_(std::move(sender)), name_(verified ? "minute" : "day"),
      limit_(verified ? redis::Limit{per_minute, std::chrono::minutes(1)}
                      : redis::Limit{unverified_per_day, std::chrono::hours(24)}),
      half_{std::max<std::int64_t>(1, limit_.count / 2), limit_.window}
{
}

asio::awaitable<SenderGuard::Use> SenderGuard::take(Purpose purpose, std::string_view tenant)
{
    std::vector<std::string> names{name_};
    if (purpose == Purpose::deferrable) names.emplace_back("deferrable");
    if (!tenant.empty()) names.push_back("tenant:" + std::string(tenant));
    std::vector<redis::Quota::Count> counts;
    counts.reserve(names.size());
    for (auto const& name : names)
        counts.push_back({name, {counts.empty() ? &limit_ : &half_, 1}});
    auto use = co_await quota_.take(sender_, counts);
    co_return Use{std::move(use), std::move(names)};
}

asio::awaitable<void> SenderGuard::give_back(Use const& use)
{
    co_await quota_.give_back(sender_, use.counts, use);
}

} // namespace sms
