#include "providers/sms_code_sender.hpp"

#include "core/error.hpp"
#include "domain/errors.hpp"
#include "domain/settings.hpp"
#include "domain/sms_code.hpp"
#include "observe/trace.hpp"
#include "sms/sandbox.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace auth_mfa {

namespace {

using sms::Outcome;
using Steady = std::chrono::steady_clock;

/// The limits of each replica. With a provider that takes 300 ms, 64 messages in flight are more than 12,000
/// a minute.
constexpr core::FairSlots::Limits slots{.slots = 64, .waiting = 1'024};

constexpr std::array purposes{sms::Purpose::sign_in, sms::Purpose::enrolment};

sms::TenantLimits limits_of(tenancy::Tenant const* tenant)
{
    tenancy::Limits const limits = tenant == nullptr ? tenancy::Limits() : tenant->limits;
    return {.per_day = limits.sms_per_day(), .sandbox_sends = limits.sandbox_sms()};
}

/// The usual time in which Twilio accepts a message.
constexpr std::chrono::milliseconds usual_answer_time{200};

/// Longer than it takes to record in the audit log that a message was withheld.
constexpr std::chrono::milliseconds sandbox_answer_time{30};

core::Error has_opted_out()
{
    return sms_undeliverable("This phone number has opted out of text messages. To opt in again, reply START "
                             "to one of the messages.");
}

core::Error country_not_allowed()
{
    return sms_undeliverable(
        "Text messages to the country of this phone number are not allowed. Use a number "
        "from another country.");
}

/// Why the message must not be sent. The opt-out of a phone that waits for confirmation must not show.
std::optional<core::Error> fault_of(SmsCodeSender::Message const& message, tenancy::Tenant const* tenant)
{
    auto const& [scope, phone, code, purpose, traceparent, opted_out] = message;
    if (sms::is_premium(phone))
        return sms_undeliverable(
            "This is a premium-rate number. Codes are not sent to such numbers. Use another number.");
    if (tenant != nullptr && !sms::is_among(phone, sms_countries_of(*tenant, scope.environment())))
        return country_not_allowed();
    if (opted_out && purpose == sms::Purpose::sign_in) return has_opted_out();
    return std::nullopt;
}

} // namespace

void SmsDelivery::require_sent() const
{
    if (refusal == sms::Refusal::conversion)
        throw sms_undeliverable(
            "Too few of the codes that were sent to this number's country today were confirmed. "
            "Until 00:00 UTC, no more codes are sent to it. Use a number from another country, "
            "or another method.");
    if (refusal == sms::Refusal::tenant_day)
        throw rate_limited(retry_after,
            "This app has sent all text messages that it may send today. Try again "
            "after the time in Retry-After, or use another method.");
    switch (outcome) {
    case Outcome::accepted:
        return;
    case Outcome::opted_out:
        throw has_opted_out();
    case Outcome::country:
        throw country_not_allowed();
    case Outcome::unreachable:
        throw sms_undeliverable(
            "The phone number cannot receive text messages. Use another number or method.");
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
    : deps_(std::move(deps)), provider_(std::move(provider)),
      sender_(sms::make_sender(options, deps_.client, deps_.clock, deps_.metrics)),
      sandbox_sender_(sms::make_sandbox_sender(options, deps_.clock, deps_.logger, deps_.metrics)),
      // The limits hold for the outbox too, so that developers see the refusals.
      limits_(
          sms::SenderGuard(deps_.redis, options.sender(), options.sender_verified, options.sender_per_minute),
          "auth-mfa", purposes, deps_.redis, deps_.metrics),
      answers_(options.twilio ? usual_answer_time : std::chrono::milliseconds(0)), slots_(slots)
{
}

asio::awaitable<SmsCodeSender::NewCode> SmsCodeSender::new_code(
    core::Scope const& scope, sms::PhoneNumber const& phone)
{
    auto const tenant = co_await deps_.directory.find(scope.slug);
    if (tenant)
        if (auto fixed = test_code_of(*tenant, scope.environment(), phone))
            co_return NewCode{std::move(*fixed), CodeDestination::nowhere};
    bool const stays = limits_of(tenant.get()).stay_in_sandbox(scope);
    co_return NewCode{make_sms_code(), stays ? CodeDestination::sandbox : CodeDestination::phone};
}

asio::awaitable<SmsDelivery> SmsCodeSender::send(Message const& message)
{
    auto const& [scope, phone, code, purpose, traceparent, opted_out] = message;
    if (code.fixed()) co_return SmsDelivery{.outcome = Outcome::accepted};
    auto const began = Steady::now();
    auto const tenant = co_await deps_.directory.find(scope.slug);
    sms::SendLimits::Message const limited{scope, phone, purpose, limits_of(tenant.get())};
    auto const permit = co_await limits_.take(limited);
    if (!permit.allowed()) co_return refused(message, permit);
    auto fault = fault_of(message, tenant.get());
    if (fault) {
        co_await limits_.settle(limited, permit, Outcome::not_sent);
        throw std::move(*fault);
    }
    sms::SendResult sent;
    auto answer_at = permit.stays_in_sandbox ? began + sandbox_answer_time : Steady::time_point();
    if (opted_out) {
        auto const answer = co_await withhold(permit, scope, began);
        sent.outcome = answer.outcome;
        answer_at = std::max(answer_at, Steady::now() + answer.took);
    } else {
        std::string const brand = tenant ? brand_of(*tenant, scope.environment()) : scope.slug;
        sent = co_await pass_on(permit,
            {.scope = scope,
                .to = phone,
                .body = sms_code_text(brand, scope.slug, provider_, code.code),
                .traceparent = traceparent},
            began);
        log(message, sent);
    }
    co_await limits_.settle(limited, permit, sent.outcome);
    bool const hidden = opted_out && sent.outcome == Outcome::accepted;
    co_return SmsDelivery{.outcome = hidden ? Outcome::opted_out : sent.outcome,
        .conversion = permit.conversion,
        .answer_at = answer_at};
}

SmsDelivery SmsCodeSender::refused(Message const& message, sms::SendLimits::Permit const& permit) const
{
    deps_.logger.warn("a limit refused a text message",
        {{"limit", sms::to_string(*permit.refusal)}, {"purpose", sms::to_string(message.purpose)},
            {"tenant", message.scope.slug}, {"traceId", observe::trace_id_of(message.traceparent)}});
    return {.retry_after = std::chrono::ceil<std::chrono::seconds>(permit.retry_after),
        .refusal = permit.refusal,
        .conversion = permit.conversion};
}

void SmsCodeSender::log(Message const& message, sms::SendResult const& sent) const
{
    if (sent.outcome == Outcome::accepted) return;
    deps_.logger.warn("a text message was not accepted",
        {{"outcome", sms::to_string(sent.outcome)}, {"code", sent.code}, {"to", message.phone.masked()},
            {"tenant", message.scope.slug}, {"traceId", observe::trace_id_of(message.traceparent)}});
}

/// The answer to a message that is not passed to the provider. The message waits for its turn like others.
asio::awaitable<ProviderAnswers::Answer> SmsCodeSender::withhold(
    sms::SendLimits::Permit const& permit, core::Scope const& scope, Steady::time_point began)
{
    auto const slot = co_await slots_.take(core::Owner::of(scope.id), began + sms::send_timeout);
    if (!slot) co_return ProviderAnswers::Answer{.outcome = Outcome::not_sent};
    if (permit.stays_in_sandbox) co_return ProviderAnswers::Answer{};
    co_return answers_.probable(Steady::now());
}

asio::awaitable<sms::SendResult> SmsCodeSender::pass_on(
    sms::SendLimits::Permit const& permit, sms::Message message, Steady::time_point began)
{
    auto const deadline = began + sms::send_timeout;
    auto const slot = co_await slots_.take(core::Owner::of(message.scope.id), deadline);
    auto const passed_on = Steady::now();
    auto const left = std::chrono::floor<std::chrono::milliseconds>(deadline - passed_on);
    if (!slot || left <= std::chrono::milliseconds(0))
        co_return sms::SendResult{.outcome = Outcome::not_sent};
    if (permit.stays_in_sandbox) co_return co_await sandbox_sender_->send(std::move(message), left);
    auto const sent = co_await sender_->send(std::move(message), left);
    answers_.add(sent, Steady::now() - passed_on, Steady::now());
    co_return sent;
}

} // namespace auth_mfa
