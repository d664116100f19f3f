#include "workers/email.hpp"

#include "core/error.hpp"
#include "core/suspended.hpp"
#include "crypto/random.hpp"
#include "domain/retry.hpp"
#include "jobs/failure.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "storage/email_domains.hpp"
#include "storage/push_jobs.hpp"
#include "workers/active_tenants.hpp"
#include "workers/message_changes.hpp"
#include "workers/uploads.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <map>
#include <stdexcept>
#include <utility>

namespace notify {

namespace {

using jobs::FinishedRun;
using Kind = jobs::Outcome::Kind;
using Rows = std::vector<notification_attachments::Row>;
using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

static_assert(mail::max_reason <= max_reason);

constexpr std::size_t capacity = 1'024; ///< emails at once
constexpr std::size_t claim_per_scope = 128;

/// Emails with files that are read and sent at once. Each needs up to 40 MiB of memory.
constexpr core::FairSlots::Limits with_files{.slots = 8, .waiting = capacity};
constexpr unsigned reader_threads = 4;
constexpr auto longest_wait_for_slot = 30s;
/// How long an email may wait for its turn: for a lane, a slot or a connection.
constexpr std::chrono::hours longest_wait{24};

Verdict verdict_of(mail::Outcome outcome) noexcept
{
    switch (outcome) {
    case mail::Outcome::accepted:
        return Verdict::accepted;
    case mail::Outcome::gone:
        return Verdict::gone;
    case mail::Outcome::refused:
        return Verdict::refused;
    case mail::Outcome::credential:
        return Verdict::credential;
    case mail::Outcome::transient:
        break;
    }
    return Verdict::transient;
}

} // namespace

SendResult result_of(mail::SendResult sent)
{
    return {.verdict = verdict_of(sent.outcome),
        .reason = std::move(sent.reason),
        .provider_id = std::move(sent.message_id)};
}

/// The state of a run.
struct EmailHandler::Run {
    jobs::Claim claim;
    jobs::AsyncWorker& worker;
    std::stop_token stop;
    core::Scope scope;
    std::optional<Notification> notification; ///< nullopt if there is nothing to send
    std::optional<mail::CustomSender> sender{};
    bool lacks_key = false; ///< the key of the scope's own sender cannot be decrypted
    bool has_files = false;
    core::Time began{};
};

EmailHandler::EmailHandler(WorkerDeps const& deps, DeliveryLatencies& latencies)
    : deps_(deps), with_files_(with_files), latency_(latencies, "email"), readers_(reader_threads)
{
}

jobs::AsyncWorkerOptions EmailHandler::options() const
{
    return {.queue = std::string(queue_of(Channel::email)),
        .capacity = capacity,
        .claim_per_scope = claim_per_scope};
}

void EmailHandler::begin(
    std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop)
{
    auto const scopes = keep_active(claims, worker, deps_);
    std::vector<RunPtr> runs;
    try {
        runs = load(claims, scopes, worker);
    } catch (...) { // some jobs may have ended, so `begin` must not throw
        auto const failure = std::current_exception();
        for (auto& claim : claims)
            worker.fail(std::move(claim), failure);
        return;
    }
    for (auto& started : runs) {
        started->stop = stop;
        asio::co_spawn(deps_.io, run(std::move(started)), asio::detached);
    }
}

std::vector<EmailHandler::RunPtr> EmailHandler::load(std::vector<jobs::Claim> const& claims,
    std::map<core::ScopeId, core::Scope> const& scopes, jobs::AsyncWorker& worker) const
{
    if (claims.empty()) return {};
    std::vector<core::Scope> all;
    std::vector<core::ScopeId> ids;
    for (auto const& [id, scope] : scopes) {
        all.push_back(scope);
        ids.push_back(id);
    }
    auto const keys = keys_of(claims);
    return deps_.db.transact_blocking(pg::Scopes(std::move(ids)), [&](pg::Tx& tx) {
        auto found = push_jobs::find_unsent(tx, keys);
        auto const senders = email_domains::senders(tx, all, deps_.keyring);
        auto const having_files = notification_attachments::having(tx, keys);
        std::vector<RunPtr> runs;
        runs.reserve(claims.size());
        for (std::size_t i = 0; i < claims.size(); ++i) {
            auto run = std::make_shared<Run>(Run{.claim = claims[i],
                .worker = worker,
                .stop = {},
                .scope = scopes.at(claims[i].scope_id),
                .notification = std::move(found[i])});
            if (run->notification) run->claim.traceparent = run->notification->traceparent.value_or("");
            auto const sender = senders.find(claims[i].scope_id);
            if (sender != senders.end()) {
                run->sender = sender->second;
                run->lacks_key = !sender->second;
            }
            run->has_files = having_files.contains(keys[i]);
            runs.push_back(std::move(run));
        }
        return runs;
    });
}

asio::awaitable<void> EmailHandler::run(RunPtr run)
{
    auto const begun = Steady::now();
    run->began = deps_.clock.now();
    FinishedRun end;
    std::exception_ptr failure;
    try {
        end = co_await attempt(*run);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure && jobs::is_outage(failure)) co_return run->worker.fail(std::move(run->claim), failure);
    if (failure) {
        log_failure(deps_.logger, run->claim, failure);
        end = end_of(*run, {.verdict = Verdict::transient, .reason = std::string(failures::internal)});
    }
    end.took = Steady::now() - begun;
    end.claim = std::move(run->claim);
    run->worker.finish(std::move(end));
}

asio::awaitable<FinishedRun> EmailHandler::attempt(Run& run)
{
    if (!run.notification) co_return FinishedRun{};
    if (run.lacks_key) throw std::runtime_error(email_domains::undecryptable_key);
    if (!breaker_.may_send(Steady::now())) co_return server_is_down(run);
    core::FairSlots::Slot slot;
    Rows rows;
    if (run.has_files) { // read before the email takes a place in its lane, or becomes a probe
        slot =
            co_await with_files_.take(core::Owner::of(run.scope.id), Steady::now() + longest_wait_for_slot);
        if (!slot) co_return untried(run, 1s, "BUSY", longest_wait);
        if (auto obstacle = co_await read_files(run, rows)) co_return end_of(run, *obstacle);
    }
    auto const lane = mail::DomainLanes::lane_of(run.scope.tenant_id(), run.notification->to);
    if (auto const pause = co_await lanes_.enter(lane))
        co_return untried(run, *pause, "DOMAIN_THROTTLED", longest_wait);
    std::optional<mail::SendResult> sent;
    std::exception_ptr failure;
    FinishedRun end;
    try {
        end = co_await send(run, std::move(rows), sent);
    } catch (...) {
        failure = std::current_exception();
    }
    using Lanes = mail::DomainLanes;
    lanes_.leave(lane, sent ? Lanes::end_of(*sent) : Lanes::End::other, Steady::now());
    if (failure) std::rethrow_exception(failure);
    co_return end;
}

/// Sends the email. Sets `sent` if the mailer was asked.
asio::awaitable<FinishedRun> EmailHandler::send(Run& run, Rows rows, std::optional<mail::SendResult>& sent)
{
    if (run.stop.stop_requested()) co_return interrupted();
    if (!breaker_.may_send(Steady::now())) co_return server_is_down(run);
    bool const probe = breaker_.begin();
    try {
        sent = co_await submit(run, std::move(rows));
    } catch (...) {
        if (probe) breaker_.withdraw_probe();
        throw;
    }
    bool const is_cut_off = run.stop.stop_requested() && sent->outcome == mail::Outcome::transient;
    if (!is_cut_off)
        note(*sent, probe);
    else if (probe)
        breaker_.withdraw_probe();
    if (is_cut_off) co_return interrupted();
    bool const is_invalid = sent->outcome == mail::Outcome::refused;
    if (!is_invalid && !mail::concerns_message(*sent)) {
        bool const is_ours = sent->stage == mail::Stage::local;
        co_return untried(
            run, breaker_.wait(Steady::now()), sent->reason, is_ours ? longest_wait : carrier_pause);
    }
    if (sent->outcome == mail::Outcome::accepted)
        latency_.accepted(run.notification->due_at(), deps_.clock.now());
    co_return end_of(run, result_of(*sent));
}

FinishedRun EmailHandler::server_is_down(Run const& run) const
{
    return untried(run, breaker_.wait(Steady::now()), down_reason_, carrier_pause);
}

/// Reads the files of the email into `rows`. Returns nullopt if all were read, else the result that ends the
/// attempt.
asio::awaitable<std::optional<SendResult>> EmailHandler::read_files(Run& run, Rows& rows)
{
    rows = co_await deps_.db.transact(run.scope,
        [&](pg::Tx& tx) { return notification_attachments::list(tx, run.scope.id, run.claim.ref); });
    std::string fault;
    bool missing = false;
    co_await readers_.run([&] {
        try {
            for (auto& row : rows) {
                if (!row.content) row.content = read_upload(deps_, *row.upload, row.size_bytes, run.stop);
                missing = missing || !row.content;
            }
        } catch (core::Error const& error) {
            fault = error.what();
        }
    });
    if (!fault.empty()) co_return SendResult{.verdict = Verdict::transient, .reason = reason_of(fault)};
    if (missing)
        co_return SendResult{
            .verdict = Verdict::refused, .reason = std::string(failures::attachment_missing)};
    co_return std::nullopt;
}

asio::awaitable<mail::SendResult> EmailHandler::submit(Run& run, Rows rows)
{
    auto const& n = *run.notification;
    mail::Message message{.id = n.id,
        .date = n.due_at(),
        .to = n.to,
        .subject = n.content.subject,
        .sender = std::move(run.sender),
        .traceparent = n.traceparent.value_or(""),
        .tenant = core::tenant_of(run.scope.id)};
    (n.content.html ? message.html : message.text) = n.content.body;
    message.attachments.reserve(rows.size());
    for (auto& row : rows)
        message.attachments.push_back(
            {std::move(row.filename), std::move(row.content_type), *std::move(row.content)});
    mail::SendResult result;
    co_await core::suspend([&](core::Suspended caller) {
        // Shared, because std::function needs a copyable callable.
        auto const waiting = std::make_shared<core::Suspended>(std::move(caller));
        deps_.mailer.send_async(std::move(message), run.stop, [&result, waiting](mail::SendResult sent) {
            result = std::move(sent);
            core::Suspended::resume(std::move(*waiting));
        });
    });
    co_return result;
}

/// Reports a result to the breaker of the mail server.
void EmailHandler::note(mail::SendResult const& sent, bool probe)
{
    bool const is_open = breaker_.open();
    if (mail::concerns_message(sent)) {
        breaker_.end(CarrierBreaker::Event::answered, probe, Steady::now());
    } else if (sent.stage != mail::Stage::local) {
        bool const in_session = sent.stage == mail::Stage::sender;
        breaker_.end(in_session ? CarrierBreaker::Event::failed : CarrierBreaker::Event::unreachable, probe,
            Steady::now());
        down_reason_ = sent.reason;
    } else if (probe) {
        breaker_.withdraw_probe();
    }
    if (!is_open && breaker_.open())
        deps_.logger.warn("the mail server is down; emails wait", {{"detail", sent.reason}});
    else if (is_open && !breaker_.open())
        deps_.logger.info("the mail server works again");
}

/// Ends a run that has made an attempt.
FinishedRun EmailHandler::end_of(Run const& run, SendResult const& result) const
{
    auto const& n = *run.notification;
    auto const next = followup_of(deps_.clock, n, {run.began, result});
    return {.kind = next.kind,
        .run_at = next.again,
        .note = MessageChange{.id = n.id,
            .queued_at = n.queued_at,
            .counts = true,
            .to = next.to,
            .reason = result.reason,
            .provider_id = result.provider_id}};
}

/// Ends a run that a stop of the process has interrupted. The email keeps its place.
FinishedRun EmailHandler::interrupted() const
{
    return {.kind = Kind::retry, .run_at = deps_.clock.now(), .counted = false};
}

/// Ends a run that has sent nothing. The email keeps its place for at most `longest` after it was due.
FinishedRun EmailHandler::untried(Run const& run, std::chrono::milliseconds wait, std::string const& reason,
    std::chrono::hours longest) const
{
    auto const& n = *run.notification;
    core::Time const now = deps_.clock.now();
    MessageChange change{.id = n.id, .queued_at = n.queued_at};
    if (now >= n.due_at() + longest) {
        change.to = Status::failed;
        change.reason = reason;
        return {.kind = Kind::dead, .note = std::move(change)};
    }
    auto const spread = crypto::random_u64() % static_cast<std::uint64_t>(wait.count() / 4 + 1);
    return {.kind = Kind::retry, .run_at = now + wait + std::chrono::milliseconds(spread), .counted = false};
}

} // namespace notify
