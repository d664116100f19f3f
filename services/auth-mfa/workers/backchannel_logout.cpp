#include "workers/backchannel_logout.hpp"

#include "core/wait.hpp"
#include "crypto/hash.hpp"
#include "crypto/random.hpp"
#include "http_client/url.hpp"
#include "observe/log.hpp"
#include "outbound_webhooks/policy.hpp"
#include "pg/database.hpp"
#include "service/tenant_jobs.hpp"
#include "tenancy/directory.hpp"
#include "tokens/tokens.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace auth_mfa {

namespace {

using outbound_webhooks::AttemptOutcome;

constexpr std::size_t excerpt_bytes = 1'024; ///< of a response, which nothing reads
constexpr std::size_t token_bytes = 2'048;   ///< an upper estimate, for the limit of memory

/// Host and port, the key of the limit per host. A dot at the end of a host name is ignored.
std::string host_of(std::string const& uri)
{
    auto parsed = http_client::parse_url(uri);
    if (!parsed) return uri;
    if (parsed->host.ends_with('.')) parsed->host.pop_back();
    return parsed->host + ':' + std::to_string(parsed->port);
}

/// Stands for the client in Admission, which remembers slow endpoints by a UUID.
core::Uuid endpoint_of(logout_notices::Notice const& notice)
{
    auto const digest =
        crypto::sha256(std::to_string(core::number(notice.key.scope_id)) + ' ' + notice.client_id);
    std::array<std::uint8_t, 16> id{};
    std::copy_n(digest.begin(), id.size(), id.begin());
    return core::Uuid::from_bytes(id);
}

outbound_webhooks::Answer answer_of(http_client::Result const& result)
{
    auto const* const response = std::get_if<http_client::Response>(&result);
    if (response == nullptr) return {};
    return {response->status, response->retry_after};
}

/// Why the client has not accepted the token.
std::string fault_of(http_client::Result const& result)
{
    if (auto const* const response = std::get_if<http_client::Response>(&result))
        return "the client answered " + std::to_string(response->status);
    return "no response: " + std::string(to_string(std::get<http_client::Error>(result).kind()));
}

bool is(http_client::Result const& result, http_client::Error::Kind kind)
{
    auto const* const error = std::get_if<http_client::Error>(&result);
    return error != nullptr && error->kind() == kind;
}

logout_notices::Key key_of(jobs::Claim const& claim)
{
    return {.scope_id = claim.scope_id, .session_id = claim.ref};
}

/// Deletes the notices whose jobs have ended.
void record(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs)
{
    std::vector<logout_notices::Key> ended;
    for (auto const* const run : runs)
        if (run->kind != jobs::Outcome::Kind::retry) ended.push_back(key_of(run->claim));
    if (!ended.empty()) logout_notices::remove(tx, ended);
}

} // namespace

BackchannelLogout::BackchannelLogout(BackchannelLogoutDeps deps)
    : deps_(std::move(deps)), failed_(deps_.metrics.counter("tetrad_logout_notices_failed_total",
                                  "Logout tokens that a client did not accept within a day.")),
      client_(deps_.client)
{
}

jobs::AsyncWorkerOptions BackchannelLogout::options()
{
    return {.queue = logout_notices::queue,
        .capacity = outbound_webhooks::max_held,
        .on_dead = [](pg::Tx& tx, jobs::Claim const& claim) {
            auto const key = key_of(claim);
            logout_notices::remove(tx, {&key, 1});
        }};
}

jobs::AsyncHandler BackchannelLogout::handler()
{
    return {.begin = [this](std::vector<jobs::Claim> claims, jobs::AsyncWorker& worker,
                         std::stop_token const& stop) { begin(std::move(claims), worker, stop); },
        .record = &record,
        .stop = [this](jobs::AsyncWorker&) { end_waiting(); }};
}

// --- on the worker's thread ------------------------------------------------------------------------------

void BackchannelLogout::begin(
    std::vector<jobs::Claim>&& claims, jobs::AsyncWorker& worker, std::stop_token const& stop)
{
    auto notices = load(claims);
    auto const tenants = tenants_of(notices);
    if (!notices.empty()) core::wait(deps_.io.get_executor(), deps_.tokens.ready());
    for (auto& claim : claims) {
        auto notice = notices.extract({claim.scope_id, claim.ref});
        if (notice) {
            auto const& tenant = tenants.at(core::tenant_of(claim.scope_id));
            begin_one(std::move(claim), std::move(notice.mapped()), tenant.get(), worker, stop);
        } else { // the client was deleted, or has no URI any more
            worker.finish({.claim = std::move(claim)});
        }
    }
}

BackchannelLogout::Notices BackchannelLogout::load(std::vector<jobs::Claim> const& claims) const
{
    std::vector<logout_notices::Key> keys;
    std::vector<core::ScopeId> scopes;
    for (auto const& claim : claims) {
        keys.push_back(key_of(claim));
        scopes.push_back(claim.scope_id);
    }
    auto found = deps_.db.transact_blocking(
        pg::Scopes::distinct(std::move(scopes)), [&](pg::Tx& tx) { return logout_notices::load(tx, keys); });
    Notices notices;
    for (auto& notice : found) {
        std::pair const key(notice.key.scope_id, notice.key.session_id);
        notices.emplace(key, std::move(notice));
    }
    return notices;
}

BackchannelLogout::Tenants BackchannelLogout::tenants_of(Notices const& notices) const
{
    Tenants tenants;
    for (auto const& [key, notice] : notices) {
        auto const [place, is_new] = tenants.try_emplace(core::tenant_of(key.first));
        if (is_new)
            place->second =
                core::wait(deps_.io.get_executor(), deps_.directory.find_by_id(core::tenant_of(key.first)));
    }
    return tenants;
}

void BackchannelLogout::begin_one(jobs::Claim claim, Notice notice, tenancy::Tenant const* tenant,
    jobs::AsyncWorker& worker, std::stop_token const& stop)
{
    if (tenant == nullptr) { // the tenant's data are erased as a whole
        worker.finish({.claim = std::move(claim)});
        return;
    }
    core::Scope const unnamed{claim.scope_id, {}};
    Delivery delivery{.claim = std::move(claim),
        .notice = std::move(notice),
        .scope = tenant->scope(unnamed.environment()),
        .worker = worker,
        .stop = stop};
    if (tenant->suspended)
        put_off(delivery, service::suspended_pause);
    else
        offer(std::make_shared<Delivery>(std::move(delivery)));
}

void BackchannelLogout::offer(DeliveryPtr delivery)
{
    auto const& notice = delivery->notice;
    Admission::Candidate candidate{.owner = core::Owner::of(notice.key.scope_id),
        .host = host_of(notice.uri),
        .webhook = endpoint_of(notice),
        .bytes = token_bytes};
    Admission::Verdict verdict;
    {
        std::lock_guard const lock(mutex_);
        auto const id = next_id_++;
        verdict = admission_.offer(id, std::move(candidate), Steady::now(), crypto::random_u64());
        waiting_.emplace(id, std::move(delivery));
    }
    apply({verdict});
}

// --- on the worker's and the client's thread -------------------------------------------------------------

void BackchannelLogout::apply(std::vector<Admission::Verdict> const& verdicts)
{
    for (auto const& verdict : verdicts) {
        if (verdict.action == Admission::Action::wait) continue;
        DeliveryPtr delivery;
        {
            std::lock_guard const lock(mutex_);
            delivery = std::move(waiting_.extract(verdict.id).mapped());
        }
        if (verdict.action == Admission::Action::start)
            start(verdict.id, delivery);
        else
            put_off(*delivery, verdict.pause);
    }
}

void BackchannelLogout::start(Admission::Id id, DeliveryPtr const& delivery)
{
    delivery->begun = Steady::now();
    try {
        client_.send(request_for(*delivery),
            [this, id, delivery](http_client::Result const& result) { answered(id, delivery, result); });
    } catch (...) {
        auto const failure = std::current_exception();
        finished(id, delivery, false);
        delivery->worker.fail(delivery->claim, failure);
    }
}

/// Each attempt has a new token, because a token is valid for two minutes.
http_client::Request BackchannelLogout::request_for(Delivery const& delivery) const
{
    auto const& notice = delivery.notice;
    http_client::Request request;
    request.method = "POST";
    request.url = notice.uri;
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
    request.body = "logout_token=" + deps_.tokens.logout_token(delivery.scope, notice.algorithm,
                                         notice.client_id, notice.user_id, notice.key.session_id);
    request.timeout = outbound_webhooks::attempt_timeout;
    request.stop = delivery.stop;
    request.stop_grace = outbound_webhooks::stop_grace;
    request.max_response_bytes = excerpt_bytes;
    request.truncate_response = true;
    return request;
}

void BackchannelLogout::finished(Admission::Id id, DeliveryPtr const& delivery, bool timed_out)
{
    std::vector<Admission::Verdict> verdicts;
    {
        std::lock_guard const lock(mutex_);
        auto const now = Steady::now();
        verdicts = admission_.finished(id, now - delivery->begun, timed_out, now, crypto::random_u64());
    }
    apply(verdicts);
}

/// Runs on the client's thread.
void BackchannelLogout::answered(
    Admission::Id id, DeliveryPtr const& delivery, http_client::Result const& result)
{
    finished(id, delivery, is(result, http_client::Error::Kind::timeout));
    auto run = judge(*delivery, result);
    run.took = Steady::now() - delivery->begun;
    delivery->worker.finish(std::move(run));
}

jobs::FinishedRun BackchannelLogout::judge(Delivery const& delivery, http_client::Result const& result)
{
    using Kind = jobs::Outcome::Kind;
    core::Time const now = deps_.clock.now();
    if (is(result, http_client::Error::Kind::stopped))
        return {.claim = delivery.claim, .kind = Kind::retry, .run_at = now, .counted = false};
    auto const decision = outbound_webhooks::decide(
        answer_of(result), delivery.claim.attempts, now, delivery.notice.expires_at, crypto::random_u64());
    if (decision.outcome == AttemptOutcome::delivered) return {.claim = delivery.claim};
    if (decision.outcome == AttemptOutcome::retry)
        return {.claim = delivery.claim, .kind = Kind::retry, .run_at = decision.next_attempt_at};
    failed_.Increment();
    deps_.logger.warn("a client was not told that a session has ended",
        {{"tenant", delivery.scope.slug}, {"clientId", delivery.notice.client_id},
            {"sessionId", delivery.claim.ref.to_string()}, {"error", fault_of(result)}});
    return {.claim = delivery.claim, .kind = Kind::dead};
}

void BackchannelLogout::put_off(Delivery const& delivery, std::chrono::milliseconds pause)
{
    delivery.worker.finish({.claim = delivery.claim,
        .kind = jobs::Outcome::Kind::retry,
        .run_at = deps_.clock.now() + pause,
        .counted = false,
        .begun = false});
}

void BackchannelLogout::end_waiting()
{
    std::vector<DeliveryPtr> dropped;
    {
        std::lock_guard const lock(mutex_);
        for (auto const id : admission_.drop_waiting())
            dropped.push_back(std::move(waiting_.extract(id).mapped()));
    }
    for (auto const& delivery : dropped)
        put_off(*delivery, std::chrono::milliseconds(0));
}

} // namespace auth_mfa
