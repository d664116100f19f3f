#include "workers/sms.hpp"

#include "core/wait.hpp"
#include "domain/retry.hpp"
#include "http_client/client.hpp"
#include "pg/database.hpp"
#include "redis/client.hpp"
#include "sms/twilio.hpp"
#include "storage/suppressions.hpp"

namespace notify {

namespace {

using jobs::Outcome;
using namespace std::chrono_literals;

/// Pause while Redis is down. Without Redis, the use of the shared sender's limit is unknown, so no message
/// is sent.
constexpr auto limit_unknown_pause = 5s;
/// Longest pause while the limit is exceeded. The pause is bounded, because an operator may raise the limit.
constexpr auto longest_pause = 15min;

constexpr std::string_view unexpected =
    "UNEXPECTED_ANSWER"; ///< the response does not follow Twilio's protocol

Verdict verdict_of_refusal(sms::SendResult const& sent) noexcept
{
    constexpr unsigned queue_full = 21611; // https://www.twilio.com/docs/api/errors/21611
    if (sent.status == 429 || sent.code == queue_full) return Verdict::throttled;
    if (sent.status == 401) return Verdict::credential;
    // A proxy gave up waiting, so the message may have been created.
    if (sent.status == 408 || sent.status == 504) return Verdict::unknown;
    return sent.status >= 500 ? Verdict::transient : Verdict::refused;
}

Verdict verdict_of(sms::SendResult const& sent) noexcept
{
    switch (sent.outcome) {
    case sms::Outcome::accepted:
        return Verdict::accepted;
    case sms::Outcome::opted_out:
        return Verdict::gone;
    case sms::Outcome::country:
    case sms::Outcome::unreachable:
        return Verdict::refused;
    case sms::Outcome::refused:
        return verdict_of_refusal(sent);
    case sms::Outcome::not_sent:
        return Verdict::transient;
    case sms::Outcome::unknown:
        break;
    }
    return Verdict::unknown;
}

std::string reason_for(sms::SendResult const& sent)
{
    if (sent.code != 0) return std::to_string(sent.code);
    if (sent.outcome == sms::Outcome::not_sent) return "CONNECT_FAILED";
    if (sent.outcome == sms::Outcome::unknown)
        return sent.status == 0 ? "NO_ANSWER" : std::string(unexpected);
    return "HTTP_" + std::to_string(sent.status);
}

} // namespace

SendResult result_of(sms::SendResult const& sent)
{
    SendResult result{.verdict = verdict_of(sent),
        .reason = {},
        .provider_id = sent.provider_id,
        .retry_after = sent.retry_after};
    bool const named = !sent.provider_id.empty(); // the outbox gives no ids
    if (result.verdict == Verdict::accepted && named && !is_provider_id(sent.provider_id))
        return {.verdict = Verdict::unknown, .reason = std::string(unexpected), .provider_id = {}};
    if (result.verdict != Verdict::accepted) result.reason = reason_for(sent);
    return result;
}

std::string status_callback(std::string const& webhook_url, core::ScopeId scope_id, Notification const& n)
{
    if (webhook_url.empty()) return {};
    char const mark = webhook_url.find('?') == std::string::npos ? '?' : '&';
    return webhook_url + mark + "scope=" + core::to_string(scope_id) + "&notification=" + n.id.to_string() +
           "&queued=" + std::to_string(n.queued_at.time_since_epoch().count());
}

SmsHandler::SmsHandler(sms::Options const& options, WorkerDeps const& deps)
    : deps_(deps), webhook_url_(options.webhook_url), guarded_(options.twilio),
      sender_(sms::make_sender(options, deps.client, deps.clock, deps.metrics)),
      guard_(deps.redis, options.sender(), options.sender_verified, options.sender_per_minute)
{
}

SmsHandler::Loaded SmsHandler::load(jobs::Claim& claim) const
{
    return deps_.db.transact_blocking(pg::Scopes(claim.scope_id), [&](pg::Tx& tx) {
        Loaded loaded{.notification = find_unsent(tx, claim)};
        if (loaded.notification)
            loaded.suppressed =
                suppressions::contains(tx, claim.scope_id, Channel::sms, loaded.notification->to);
        return loaded;
    });
}

jobs::Outcome SmsHandler::operator()(
    core::Scope const& scope, jobs::Claim& claim, std::stop_token const& /*stop*/)
{
    auto const loaded = load(claim);
    if (!loaded.notification) return Outcome::done();
    if (loaded.suppressed) return fail(deps_, scope.id, *loaded.notification, failures::suppressed);
    return attempt(scope, *loaded.notification);
}

jobs::Outcome SmsHandler::attempt(core::Scope const& scope, Notification const& n)
{
    sms::SenderGuard::Use use;
    if (auto const later = held_back(scope, use)) return Outcome::not_yet(*later);
    core::Time const began = deps_.clock.now();
    sms::Message const message{.scope = scope,
        .to = sms::PhoneNumber::parse(n.to).value(), // checked when the notification was accepted
        .body = n.content.body,
        .status_callback = status_callback(webhook_url_, scope.id, n),
        .traceparent = n.traceparent.value_or("")};
    auto const sent = sender_->send(message, sms::send_timeout);
    if (sent.outcome == sms::Outcome::not_sent) give_back(use);
    SendResult const result = result_of(sent);
    if (sent.outcome != sms::Outcome::opted_out) return end_attempt(deps_, scope.id, n, {began, result});
    return end_attempt(
        deps_, scope.id, n, {began, result}, [scope_id = scope.id, to = n.to, result](pg::Tx& tx) {
            suppressions::insert(tx, scope_id, Channel::sms, to, result.reason);
        });
}

std::optional<core::Time> SmsHandler::held_back(core::Scope const& scope, sms::SenderGuard::Use& use)
{
    if (!guarded_) return std::nullopt;
    core::Time const now = deps_.clock.now();
    try {
        use = core::wait(
            deps_.io.get_executor(), guard_.take(sms::SenderGuard::Purpose::deferrable, scope.slug));
    } catch (redis::Unavailable const&) {
        return now + limit_unknown_pause;
    }
    if (use.allowed) return std::nullopt;
    return now + std::min<std::chrono::milliseconds>(use.retry_after, longest_pause);
}

void SmsHandler::give_back(sms::SenderGuard::Use const& use)
{
    if (guarded_) core::wait(deps_.io.get_executor(), guard_.give_back(use));
}

} // namespace notify
