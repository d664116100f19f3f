#include "workers/sms.hpp"

#include "domain/retry.hpp"
#include "domain/status.hpp"
#include "http_client/client.hpp"
#include "jobs/failure.hpp"
#include "observe/log.hpp"
#include "observe/trace.hpp"
#include "redis/client.hpp"
#include "service/tenant_jobs.hpp"
#include "sms/sandbox.hpp"
#include "tenancy/directory.hpp"
#include "workers/message_changes.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace notify {

namespace {

using jobs::FinishedRun;
using Kind = jobs::Outcome::Kind;
using namespace std::chrono_literals;

/// Maximum number of messages that a replica sends at once. One tenant may have a quarter of them. With a
/// provider that takes 300 ms, that is more than 5,000 messages a minute.
constexpr std::size_t capacity = 128;

/// Pause while Redis is down. Without Redis, the use of the shared sender's limit is unknown, so no message
/// is sent.
constexpr auto limit_unknown_pause = 5s;

constexpr std::array purposes{sms::Purpose::notify};

/// The limits of the sender. The outbox sends nothing to a carrier, so it has no allowance.
sms::SenderGuard guard_of(sms::Options const& options, redis::Client& client)
{
    if (!options.twilio) return {client, options.sender()};
    return {client, options.sender(), options.sender_verified, options.sender_per_minute};
}

constexpr std::string_view unexpected =
    "UNEXPECTED_ANSWER"; ///< the response does not follow Twilio's protocol

Verdict verdict_of_refusal(sms::SendResult const& sent) noexcept
{
    constexpr unsigned queue_full = 21611; // https://www.twilio.com/docs/api/errors/21611
    if (sent.status == 429 || sent.code == queue_full) return Verdict::throttled;
    if (sent.status == 401) return Verdict::credential;
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

/// The end of a run that sends nothing: the notification fails.
FinishedRun failed(Notification const& n, std::string_view reason)
{
    return {.kind = Kind::dead,
        .note = MessageChange{
            .id = n.id, .queued_at = n.queued_at, .to = Status::failed, .reason = std::string(reason)}};
}

/// The end of a run that tried nothing; the job runs again at this time.
FinishedRun not_yet(core::Time at)
{
    return {.kind = Kind::retry, .run_at = at, .counted = false};
}

std::string reason_for(sms::SendResult const& sent)
{
    if (sent.code != 0) return std::to_string(sent.code);
    if (sent.outcome == sms::Outcome::not_sent) return "CONNECT_FAILED";
    if (sent.status == 0) return std::string(failures::no_answer);
    bool const is_error = sent.status >= 400;
    return is_error ? "HTTP_" + std::to_string(sent.status) : std::string(unexpected);
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
    : deps_(deps), webhook_url_(options.webhook_url),
      sender_(
          sms::make_sender(options, {.addresses = deps.client.addresses(), .ca_file = deps.outbound_ca_file},
              deps.clock, deps.metrics)),
      sandbox_sender_(sms::make_sandbox_sender(options, deps.clock, deps.logger, deps.metrics)),
      limits_(guard_of(options, deps.redis), "notify", purposes, deps.redis, deps.metrics),
      load_(deps.db, sms_attempts::load_batch), begin_(deps.db, sms_attempts::begin_batch)
{
}

jobs::AsyncWorkerOptions SmsHandler::options() const
{
    return {.queue = std::string(queue_of(Channel::sms)), .capacity = capacity};
}

void SmsHandler::begin(
    std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop)
{
    for (auto& claim : claims) {
        auto started = std::make_shared<Run>(Run{.claim = std::move(claim),
            .worker = worker,
            .stop = stop,
            .began = deps_.clock.now(),
            .notification = {}});
        asio::co_spawn(deps_.io, run(std::move(started)), asio::detached);
    }
}

asio::awaitable<void> SmsHandler::run(RunPtr run)
{
    auto const begun = std::chrono::steady_clock::now();
    FinishedRun end;
    std::exception_ptr failure;
    try {
        end = co_await attempt(*run);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure && run->stage == Run::Stage::preparing && jobs::is_outage(failure)) {
        run->worker.fail(std::move(run->claim), failure);
        co_return;
    }
    if (failure) end = end_after(*run, failure);
    end.took = std::chrono::steady_clock::now() - begun;
    end.claim = std::move(run->claim);
    run->worker.finish(std::move(end));
}

asio::awaitable<FinishedRun> SmsHandler::attempt(Run& run)
{
    auto& claim = run.claim;
    core::Scope const unnamed{claim.scope_id, {}};
    auto const tenant = co_await deps_.directory.find_by_id(unnamed.tenant_id());
    if (!tenant) co_return FinishedRun{};
    if (tenant->suspended) co_return not_yet(deps_.clock.now() + service::suspended_pause);
    auto message = co_await load_.run({claim.scope_id, claim.ref});
    if (!message) co_return FinishedRun{};
    auto const& n = run.notification.emplace(std::move(message->notification));
    claim.traceparent = n.traceparent.value_or("");
    if (!awaits_sending(n)) co_return FinishedRun{};
    if (n.attempt_token) co_return end_interrupted(run);
    if (message->suppressed) co_return failed(n, failures::suppressed);
    co_return co_await send(*tenant, tenant->scope(unnamed.environment()), run);
}

/// Begins an attempt and sends the message, if the limits allow it.
asio::awaitable<FinishedRun> SmsHandler::send(
    tenancy::Tenant const& tenant, core::Scope const& scope, Run& run)
{
    auto const& n = *run.notification;
    auto const to = sms::PhoneNumber::parse(n.to).value(); // checked when the notification was accepted
    sms::SendLimits::Message const limited{scope, to, sms::Purpose::notify,
        {.per_day = tenant.limits.sms_per_day(), .sandbox_sends = tenant.limits.sandbox_sms()}};
    auto const permitted = co_await permit(limited);
    if (!permitted) co_return not_yet(deps_.clock.now() + limit_unknown_pause);
    if (!permitted->allowed()) {
        log(scope, *permitted->refusal);
        co_return refused(n, *permitted);
    }
    sms::Message message{.scope = scope,
        .to = to,
        .body = n.content.body,
        .status_callback = status_callback(webhook_url_, scope.id, n),
        .traceparent = n.traceparent.value_or("")};
    bool begins = !run.stop.stop_requested();
    if (begins) {
        run.stage = Run::Stage::beginning;
        begins = co_await begin_.run({scope.id, n.id, n.queued_at, run.claim.token});
    }
    if (!begins) {
        co_await settle(limited, *permitted, sms::Outcome::not_sent);
        co_return not_yet(deps_.clock.now());
    }
    run.stage = Run::Stage::sending;
    run.began = deps_.clock.now();
    auto& sender = permitted->stays_in_sandbox ? *sandbox_sender_ : *sender_;
    auto const sent = co_await sender.send(std::move(message), sms::send_timeout);
    co_await settle(limited, *permitted, sent.outcome);
    co_return end_of(run, result_of(sent), sent.outcome == sms::Outcome::opted_out);
}

FinishedRun SmsHandler::end_of(Run const& run, SendResult const& result, bool opted_out) const
{
    auto const& n = *run.notification;
    auto const next = followup_of(deps_.clock, n, {run.began, result});
    return {.kind = next.kind,
        .run_at = next.again,
        .note = MessageChange{.id = n.id,
            .queued_at = n.queued_at,
            .ended_attempt = run.claim.token,
            .counts = true,
            .to = next.to,
            .reason = result.reason,
            .provider_id = result.provider_id,
            .opted_out = opted_out}};
}

/// Ends a run that found an attempt of another run.
FinishedRun SmsHandler::end_interrupted(Run const& run) const
{
    auto const& n = *run.notification;
    deps_.logger.warn("an attempt to send a text message was interrupted; the message fails, because it may "
                      "have been sent",
        {{"scopeId", core::number(run.claim.scope_id)}, {"notificationId", n.id.to_string()},
            {"traceId", observe::trace_id_of(run.claim.traceparent)}});
    auto end = end_of(run,
        {.verdict = Verdict::unknown, .reason = std::string(failures::no_answer), .provider_id = {}}, false);
    std::any_cast<MessageChange&>(end.note).ended_attempt = n.attempt_token;
    return end;
}

/// Ends a run that failed with an exception. An unexpected exception counts as an attempt, so that retries
/// end. If the message may have been sent, it is not sent again.
FinishedRun SmsHandler::end_after(Run const& run, std::exception_ptr const& failure) const
{
    bool const is_outage = jobs::is_outage(failure);
    if (!is_outage) log_failure(deps_.logger, run.claim, failure);
    core::Time const now = deps_.clock.now();
    MessageChange change{.id = run.claim.ref, .queued_at = {}, .ended_attempt = run.claim.token};
    if (run.notification) change.queued_at = run.notification->queued_at;
    if (is_outage && run.stage != Run::Stage::sending)
        return {.kind = Kind::retry,
            .run_at = now + jobs::pause_after_failure(run.claim.attempts),
            .note = std::move(change)};
    Notification unread;
    unread.attempts = run.claim.attempts - 1;
    unread.queued_at = run.began;
    bool const may_be_sent = run.stage == Run::Stage::sending;
    auto const next = followup_of(deps_.clock, run.notification.value_or(unread),
        {run.began, {.verdict = may_be_sent ? Verdict::unknown : Verdict::transient}});
    change.counts = true;
    change.to = next.to;
    change.reason = std::string(failures::internal);
    return {.kind = next.kind, .run_at = next.again, .note = std::move(change)};
}

asio::awaitable<std::optional<sms::SendLimits::Permit>> SmsHandler::permit(
    sms::SendLimits::Message const& message)
{
    try {
        co_return co_await limits_.take(message);
    } catch (redis::Unavailable const&) {
        co_return std::nullopt;
    }
}

FinishedRun SmsHandler::refused(Notification const& n, sms::SendLimits::Permit const& permit) const
{
    if (permit.refusal == sms::Refusal::tenant_day) return failed(n, failures::sms_daily_limit);
    core::Time const now = deps_.clock.now();
    auto const waited = std::chrono::ceil<std::chrono::milliseconds>(now - n.due_at());
    if (waited >= longest_sms_wait) return failed(n, failures::sms_sender_limit);
    return not_yet(now + sms_limit_pause(waited, permit.retry_after));
}

void SmsHandler::log(core::Scope const& scope, sms::Refusal refusal)
{
    std::string key = scope.slug + ':' + std::string(sms::to_string(refusal));
    if (logged_.find(key)) return;
    logged_.put(std::move(key), std::make_shared<Logged const>());
    deps_.logger.warn("a limit refused a text message",
        {{"limit", sms::to_string(refusal)}, {"purpose", sms::to_string(sms::Purpose::notify)},
            {"tenant", scope.slug}});
}

/// If the count cannot be taken back, it ends with the limit's window.
asio::awaitable<void> SmsHandler::settle(
    sms::SendLimits::Message const& message, sms::SendLimits::Permit const& permit, sms::Outcome outcome)
{
    try {
        co_await limits_.settle(message, permit, outcome);
    } catch (std::exception const& error) {
        deps_.logger.warn(
            "a text message that was not sent stays counted", {{"what", observe::first_line(error.what())}});
    }
}

} // namespace notify
