#include "sms/send_limits.hpp"

#include <utility>

namespace sms {

SendLimits::SendLimits(SenderGuard guard, std::string const& service, std::span<Purpose const> purposes,
    redis::Client& client, observe::Metrics& metrics)
    : guard_(std::move(guard)), sandbox_guard_(client, "sandbox"),
      conversions_(client, service + ":conversion"), refusals_(metrics, purposes)
{
}

asio::awaitable<void> SendLimits::take_conversion(Message const& message, Permit& permit)
{
    permit.conversion = co_await conversions_.take(message.scope, message.to);
    if (!permit.conversion->allowed) permit.refusal = Refusal::conversion;
}

asio::awaitable<SendLimits::Permit> SendLimits::take(Message const& message)
{
    Permit permit;
    permit.stays_in_sandbox = message.tenant.stay_in_sandbox(message.scope);
    if (!permit.stays_in_sandbox && message.purpose == Purpose::enrolment)
        co_await take_conversion(message, permit);
    if (permit.allowed()) {
        auto& guard = permit.stays_in_sandbox ? sandbox_guard_ : guard_;
        permit.use = co_await guard.take(
            message.purpose, SenderGuard::Tenant{message.scope.slug, message.tenant.per_day});
        permit.refusal = permit.use.refusal;
        permit.retry_after = permit.use.retry_after;
        if (!permit.allowed() && permit.conversion)
            co_await conversions_.give_back(message.scope, message.to, *permit.conversion);
    }
    if (permit.refusal) refusals_.count(message.purpose, *permit.refusal);
    co_return permit;
}

asio::awaitable<void> SendLimits::settle(Message const& message, Permit const& permit, Outcome outcome)
{
    bool const may_arrive = outcome == Outcome::accepted || outcome == Outcome::unknown;
    if (permit.conversion && !may_arrive)
        co_await conversions_.give_back(message.scope, message.to, *permit.conversion);
    if (outcome == Outcome::not_sent)
        co_await (permit.stays_in_sandbox ? sandbox_guard_ : guard_).give_back(permit.use);
}

} // namespace sms
