#include "sms/guard.hpp"

#include <algorithm>
#include <utility>

namespace sms {

namespace {

constexpr std::string_view share = "deferrable";

} // namespace

SenderGuard::SenderGuard(redis::Client& client, std::string sender, bool verified, std::int64_t per_minute)
    : quota_(client, "sms:sender"), sender_(std::move(sender)), name_(verified ? "minute" : "day"),
      limit_(verified ? redis::Limit{per_minute, std::chrono::minutes(1)}
                      : redis::Limit{unverified_per_day, std::chrono::hours(24)}),
      half_{std::max<std::int64_t>(1, limit_.count / 2), limit_.window}
{
}

asio::awaitable<SenderGuard::Use> SenderGuard::take(core::Time now, Purpose purpose)
{
    redis::Use part;
    if (purpose == Purpose::deferrable) {
        part = co_await quota_.take(sender_, share, {&half_, 1}, now);
        if (!part.allowed) co_return Use{std::move(part), {}};
    }
    auto whole = co_await quota_.take(sender_, name_, {&limit_, 1}, now);
    if (!whole.allowed && part.allowed) co_await quota_.give_back(sender_, share, part);
    co_return Use{std::move(whole), std::move(part)};
}

asio::awaitable<void> SenderGuard::give_back(Use const& use)
{
    co_await quota_.give_back(sender_, name_, use);
    if (use.share.allowed) co_await quota_.give_back(sender_, share, use.share);
}

} // namespace sms
