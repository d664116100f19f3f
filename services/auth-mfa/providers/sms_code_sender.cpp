#include "providers/sms_code_sender.hpp"

#include "core/error.hpp"
#include "domain/errors.hpp"
#include "domain/settings.hpp"
#include "domain/sms_code.hpp"
#include "observe/trace.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

using sms::Outcome;
using Steady = std::chrono::steady_clock;

/// The maximum number of concurrent messages. A message's time limit also runs while the message waits for a
/// thread.
constexpr unsigned threads = 16;

core::Error undeliverable(std::string detail)
{
    return {codes::mfa_sms_undeliverable, std::move(detail)};
}

} // namespace

void SmsDelivery::require_sent() const
{
    switch (outcome) {
    case Outcome::accepted:
        return;
    case Outcome::opted_out:
        throw undeliverable("This phone number has opted out of text messages. To opt in again, reply START "
                            "to one of the messages.");
    case Outcome::country:
        throw undeliverable("Text messages to the country of this phone number are not allowed. Use a number "
                            "from another country.");
    case Outcome::unreachable:
        throw undeliverable("The phone number cannot receive text messages. Use another number or method.");
    case Outcome::refused:
    case Outcome::not_sent:
    case Outcome::unknown:
        break;
    }
    throw core::Error::unavailable("The text message was not sent, or the SMS provider did not confirm it. "
                                   "Try again after the time in Retry-After.",
        static_cast<unsigned>(std::max<std::int64_t>(1, retry_after.count())));
}

SmsCodeSender::SmsCodeSender(sms::Options const& options, std::string provider, Deps deps)
    : deps_(deps), provider_(std::move(provider)),
      sender_(sms::make_sender(options, deps.client, deps.clock, deps.metrics)),
      guard_(deps.redis, options.sender(), options.sender_verified, options.sender_per_minute),
      workers_(threads)
{
}

asio::awaitable<void> SmsCodeSender::require_permitted(
    core::Scope const& scope, sms::PhoneNumber const& phone)
{
    if (sms::is_premium(phone))
        throw undeliverable(
            "This is a premium-rate number. Codes are not sent to such numbers. Use another number.");
    auto const tenant = co_await deps_.directory.find(scope.slug);
    if (tenant && !sms::is_among(phone, sms_countries_of(*tenant, scope.environment())))
        SmsDelivery{.outcome = Outcome::country}.require_sent();
}

asio::awaitable<SmsDelivery> SmsCodeSender::send(core::Scope const& scope, sms::PhoneNumber const& phone,
    std::string const& code, Purpose purpose, std::string const& traceparent)
{
    auto const deadline = Steady::now() + sms::send_timeout;
    auto const tenant = co_await deps_.directory.find(scope.slug);
    auto const use = co_await guard_.take(purpose, scope.slug);
    if (!use.allowed) {
        deps_.logger.warn("the shared sender has reached its limit",
            {{"tenant", scope.slug}, {"traceId", observe::trace_id_of(traceparent)}});
        co_return SmsDelivery{.retry_after = std::chrono::ceil<std::chrono::seconds>(use.retry_after)};
    }
    std::string const brand = tenant ? brand_of(*tenant, scope.environment()) : scope.slug;
    sms::Message const message{.scope = scope,
        .to = phone,
        .body = sms_code_text(brand, scope.slug, provider_, code),
        .traceparent = traceparent};
    sms::SendResult const sent = co_await workers_.run([&] {
        auto const left = std::chrono::floor<std::chrono::milliseconds>(deadline - Steady::now());
        if (left <= std::chrono::milliseconds(0)) return sms::SendResult{.outcome = Outcome::not_sent};
        return sender_->send(message, left);
    });
    if (sent.outcome == Outcome::not_sent) co_await guard_.give_back(use);
    if (sent.outcome != Outcome::accepted) {
        deps_.logger.warn("a text message was not accepted",
            {{"outcome", sms::to_string(sent.outcome)}, {"code", sent.code}, {"to", phone.masked()},
                {"tenant", scope.slug}, {"traceId", observe::trace_id_of(traceparent)}});
    }
    co_return SmsDelivery{.outcome = sent.outcome};
}

} // namespace auth_mfa
