#include "workers/thread_mails.hpp"

#include "core/backoff.hpp"
#include "core/suspended.hpp"
#include "crypto/random.hpp"
#include "domain/board_links.hpp"
#include "jobs/failure.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "storage/mail_fan_outs.hpp"
#include "storage/mail_keys.hpp"
#include "storage/opt_outs.hpp"
#include "tenancy/tenant.hpp"
#include "workers/mail_text.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <any>
#include <exception>
#include <set>
#include <string>
#include <utility>

namespace feedback {

namespace {

using jobs::FinishedRun;
using Kind = jobs::Outcome::Kind;
using Steady = std::chrono::steady_clock;
using namespace std::chrono_literals;
using thread_mails::End;

constexpr std::size_t capacity = 256; ///< emails at once
constexpr std::size_t claim_per_scope = 64;
constexpr std::size_t recipients_a_step = 500;
constexpr auto first_delay = 10s;
constexpr auto longest_delay = 15min;
constexpr auto longest_attempts = 24h; ///< after the last change
constexpr auto pause_when_busy = 1s;

/// A reason without the rest of a server's reply, which may repeat the address: `550 5.1.1`.
std::string_view without_text(std::string_view reason)
{
    bool const is_reply = !reason.empty() && reason.front() >= '0' && reason.front() <= '9';
    return is_reply ? reason.substr(0, reason.find_first_not_of("0123456789. -")) : reason;
}

void record_ends(pg::Tx& tx, std::span<FinishedRun const* const> runs)
{
    std::vector<End> ends;
    ends.reserve(runs.size());
    for (auto const* run : runs)
        if (auto const* const end = std::any_cast<End>(&run->note)) ends.push_back(*end);
    thread_mails::record(tx, ends);
}

} // namespace

/// The state of a run.
struct MailHandlers::Run {
    jobs::Claim claim;
    jobs::AsyncWorker& worker;
    std::stop_token stop;
    core::Scope scope;
    std::string brand;
    std::optional<ThreadMail> mail{}; ///< nullopt if there is no email any more
    MailChanges changes{};
    std::string unsubscribe_token{}; ///< empty for `notifyEmail`
    std::string_view failure{};      ///< why the email cannot be sent now; empty if it can

    /// Whether the email may be sent now, if the recipient wants it.
    bool is_due() const { return mail && mail->requested && mail->wait == 0ms && mail->address; }

    End end(End::Kind kind) const
    {
        return {.key = {claim.scope_id, claim.ref}, .version = mail->version, .kind = kind};
    }
};

MailHandlers::MailHandlers(MailWorkerDeps deps) : deps_(std::move(deps)) {}

jobs::WorkerOptions MailHandlers::fan_out_options()
{
    return {.queue = mail_fan_outs::queue, .threads = 2};
}

jobs::Handler MailHandlers::fan_out_handler()
{
    return service::for_active_tenants(deps_.io, deps_.directory, deps_.clock,
        [this](core::Scope const& scope, jobs::Claim& claim, std::stop_token const& /*stop*/) {
            bool const more = deps_.db.transact_blocking(scope, [&](pg::Tx& tx) {
                return mail_fan_outs::advance(tx, scope.id, claim.ref, recipients_a_step);
            });
            return more ? jobs::Outcome::not_yet(deps_.clock.now()) : jobs::Outcome::done();
        });
}

jobs::AsyncWorkerOptions MailHandlers::options()
{
    return {.queue = thread_mails::queue,
        .capacity = capacity,
        .claim_per_scope = claim_per_scope,
        .on_dead = [](pg::Tx& tx, jobs::Claim const& claim) {
            thread_mails::remove(tx, {claim.scope_id, claim.ref});
        }};
}

jobs::AsyncHandler MailHandlers::handler()
{
    return {.begin = [this](std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker,
                         std::stop_token const& stop) { begin(std::move(claims), worker, stop); },
        .record = record_ends};
}

void MailHandlers::begin(
    std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker, std::stop_token const& stop)
{
    auto const tenants = service::keep_active(claims, worker, deps_.io, deps_.directory, deps_.clock);
    std::vector<RunPtr> runs;
    try {
        runs = load(claims, tenants, worker);
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

std::vector<MailHandlers::RunPtr> MailHandlers::load(
    std::vector<jobs::Claim> const& claims, service::Tenants const& tenants, jobs::AsyncWorker& worker) const
{
    if (claims.empty()) return {};
    std::vector<thread_mails::Key> keys;
    std::vector<core::ScopeId> scopes;
    keys.reserve(claims.size());
    scopes.reserve(claims.size());
    for (auto const& claim : claims) {
        keys.push_back({claim.scope_id, claim.ref});
        scopes.push_back(claim.scope_id);
    }
    return deps_.db.transact_blocking(pg::Scopes::distinct(std::move(scopes)), [&](pg::Tx& tx) {
        auto found = thread_mails::find(tx, keys);
        std::vector<RunPtr> runs;
        runs.reserve(claims.size());
        for (std::size_t i = 0; i < claims.size(); ++i) {
            auto const& tenant = *tenants.at(core::tenant_of(claims[i].scope_id));
            runs.push_back(std::make_shared<Run>(Run{.claim = claims[i],
                .worker = worker,
                .stop = {},
                .scope = tenant.scope(core::environment_of(claims[i].scope_id)),
                .brand = tenant.display_name,
                .mail = std::move(found[i])}));
        }
        load_content(tx, runs);
        return runs;
    });
}

/// Reads the content of the emails that are due, if their recipients have not opted out.
void MailHandlers::load_content(pg::Tx& tx, std::span<RunPtr const> runs) const
{
    std::set<core::ScopeId> scopes;
    std::vector<Run*> to_users;
    to_users.reserve(runs.size());
    for (auto const& run : runs) {
        if (!run->is_due() || run->mail->is_for_staff()) continue;
        scopes.insert(run->scope.id);
        to_users.push_back(run.get());
    }
    if (!to_users.empty()) {
        auto const keys =
            mail_keys::ensure(tx, std::vector<core::ScopeId>(scopes.begin(), scopes.end()), deps_.keyring);
        std::vector<opt_outs::Key> recipients;
        recipients.reserve(to_users.size());
        std::erase_if(to_users, [&](Run* run) {
            if (keys.contains(run->scope.id)) return false;
            run->failure = mail_keys::undecryptable_reason;
            return true;
        });
        for (auto* const run : to_users) {
            auto const& key = keys.at(run->scope.id);
            auto const& mail = *run->mail;
            run->unsubscribe_token = key.token(mail.feedback_id, *mail.address);
            recipients.push_back({run->scope.id, {mail.feedback_id, key.hash_of(*mail.address)}});
        }
        for (auto const place : opt_outs::find(tx, recipients))
            to_users[place]->mail->address.reset();
    }
    std::vector<thread_mails::Wanted> wanted;
    std::vector<Run*> due;
    wanted.reserve(runs.size());
    due.reserve(runs.size());
    for (auto const& run : runs) {
        if (!run->is_due()) continue;
        wanted.push_back({run->scope.id, &*run->mail});
        due.push_back(run.get());
    }
    auto changes = thread_mails::changes_of(tx, wanted);
    for (std::size_t i = 0; i < due.size(); ++i)
        due[i]->changes = std::move(changes[i]);
}

asio::awaitable<void> MailHandlers::run(RunPtr run)
{
    auto const begun = Steady::now();
    FinishedRun end;
    std::exception_ptr failure;
    try {
        end = co_await attempt(*run);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure && jobs::is_outage(failure)) co_return run->worker.fail(std::move(run->claim), failure);
    if (failure) end = failed(*run, jobs::describe(failure));
    end.took = Steady::now() - begun;
    end.claim = std::move(run->claim);
    run->worker.finish(std::move(end));
}

asio::awaitable<FinishedRun> MailHandlers::attempt(Run& run)
{
    if (!run.mail) co_return FinishedRun{};
    if (run.mail->wait > 0ms) co_return put_off(run.mail->wait);
    if (!run.failure.empty()) co_return failed(run, run.failure);
    if (run.changes.items.empty()) co_return FinishedRun{.note = run.end(End::Kind::dropped)};
    if (run.stop.stop_requested()) co_return put_off(0ms);
    auto const lane = mail::DomainLanes::lane_of(run.scope.tenant_id(), *run.mail->address);
    if (auto const pause = co_await lanes_.enter(lane)) co_return put_off(*pause);
    mail::SendResult sent;
    std::exception_ptr failure;
    try {
        sent = co_await submit(run);
    } catch (...) {
        failure = std::current_exception();
    }
    using Lanes = mail::DomainLanes;
    lanes_.leave(lane, failure ? Lanes::End::other : Lanes::end_of(sent), Steady::now());
    if (failure) std::rethrow_exception(failure);
    co_return end_of(run, sent);
}

asio::awaitable<mail::SendResult> MailHandlers::submit(Run const& run)
{
    auto message = compose(run);
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

mail::Message MailHandlers::compose(Run const& run) const
{
    auto const& mail = *run.mail;
    auto const host = deps_.urls.of(run.scope);
    auto const until = run.changes.items.back().at;
    MailValues values{.brand = run.brand, .link = {}, .unsubscribe = {}};
    if (mail.on_board) values.link = board_url::post(host, mail.feedback_id);
    if (!run.unsubscribe_token.empty()) values.unsubscribe = host + "/unsubscribe/" + run.unsubscribe_token;
    auto text = render_mail(mail, run.changes, values);
    mail::Message message{.id = message_id_of(mail, until),
        .date = until,
        .to = *mail.address,
        .subject = std::move(text.subject),
        .text = std::move(text.text),
        .html = std::move(text.html),
        .thread = mail.feedback_id,
        .auto_generated = true,
        .tenant = run.scope.tenant_id()};
    if (!values.unsubscribe.empty()) message.unsubscribe = mail::Unsubscribe{std::move(values.unsubscribe)};
    return message;
}

FinishedRun MailHandlers::end_of(Run const& run, mail::SendResult const& sent) const
{
    switch (sent.outcome) {
    case mail::Outcome::transient:
        if (run.stop.stop_requested()) return put_off(0ms);
        if (sent.stage == mail::Stage::local && sent.reason == "BUSY") return put_off(pause_when_busy);
        [[fallthrough]];
    case mail::Outcome::credential:
        return failed(run, sent.reason);
    default:
        break;
    }
    auto end = run.end(End::Kind::sent);
    end.until = run.changes.items.back().at;
    end.more = run.changes.more;
    if (sent.outcome == mail::Outcome::accepted) return {.note = end};
    deps_.logger.warn("an email about a thread was refused",
        {{"tenant", run.scope.slug}, {"feedbackId", run.mail->feedback_id.to_string()},
            {"reason", without_text(sent.reason)}});
    return {.kind = Kind::dead, .note = end};
}

FinishedRun MailHandlers::failed(Run const& run, std::string_view reason) const
{
    bool const gives_up = run.mail && run.mail->age >= longest_attempts;
    auto const failures = run.mail ? static_cast<unsigned>(run.mail->failures) : 0;
    if (gives_up || failures == 0)
        deps_.logger.warn(
            gives_up ? "an email about a thread was given up" : "an email about a thread is repeated later",
            {{"tenant", run.scope.slug}, {"mailId", run.claim.ref.to_string()},
                {"reason", without_text(reason)}});
    if (gives_up) return {.kind = Kind::dead, .note = run.end(End::Kind::dropped)};
    auto const delay = core::backoff(failures, first_delay, longest_delay, crypto::random_u64());
    FinishedRun again{.kind = Kind::retry, .run_at = deps_.clock.now() + delay};
    if (run.mail) again.note = run.end(End::Kind::failed);
    return again;
}

/// The email keeps its place. The run is not counted, because nothing was tried.
FinishedRun MailHandlers::put_off(std::chrono::milliseconds wait) const
{
    return {.kind = Kind::retry, .run_at = deps_.clock.now() + wait, .counted = false};
}

} // namespace feedback
