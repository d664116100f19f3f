#include "sms/guard.hpp"

#include <utility>

namespace sms {

SenderGuard::SenderGuard(redis::Client& client, std::string sender, bool verified, std::int64_t per_minute)
    : quota_(client, "sms:sender"), sender_(std::move(sender)), name_(verified ? "minute" : "day"),
      limit_(verified ? redis::Limit{per_minute, std::chrono::minutes(1)}
                      : redis::Limit{unverified_per_day, std::chrono::hours(24)})
{
}

asio::awaitable<redis::Use> SenderGuard::take(core::Time now)
{
    co_return co_await quota_.take(sender_, name_, {&limit_, 1}, now);
}

asio::awaitable<void> SenderGuard::give_back(redis::Use const& use)
{
    co_await quota_.give_back(sender_, name_, use);
}

} // namespace sms
