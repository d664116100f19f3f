#include "service/platform.hpp"

#include "audit/audit.hpp"
#include "idempotency/once.hpp"
#include "observe/trace.hpp"
#include "tenancy/tenant_rows.hpp"
#include "webhooks/policy.hpp"
#include "webhooks/webhooks.hpp"

#include <algorithm>

namespace service {

namespace {

constexpr std::size_t scopes_a_step = 500; ///< number of scopes that a step of a periodic task processes
constexpr std::size_t rows_a_step = 5'000;
/// Concurrent expensive reads per scope. The limit is lower if half of the database's connections are fewer.
constexpr std::size_t heavy_reads_of_a_scope = 4;

constexpr auth::JwksOptions own_jwks{
    .refresh = std::chrono::seconds(5), .min_refetch = std::chrono::seconds(1)};

auth::Jwks::Fetch jwks_source(
    TokenIssuer const& issuer, http::Client& client, pg::Database& db, crypto::Keyring const& keyring)
{
    if (issuer.own) return [own = issuer.own, &db, &keyring] { return own(db, keyring); };
    return issuer.jwks_file.empty() ? auth::jwks_from_url(client, issuer.jwks_url)
                                    : auth::jwks_from_file(issuer.jwks_file);
}

/// Makes the body budget with its metrics: bytes in use, its size, and refusals.
std::shared_ptr<http::BodyBudget> make_body_budget(Runtime const& runtime)
{
    using Budget = http::BodyBudget;
    std::array<prometheus::Counter*, Budget::share_names.size()> refusals{};
    for (std::size_t i = 0; i < refusals.size(); ++i)
        refusals[i] = &runtime.metrics.counter("tetrad_http_body_refusals_total",
            "Requests refused because there was no memory for their body, by the share of the budget that "
            "was used up.",
            {{"share", std::string(Budget::share_names[i])}});
    auto budget = Budget::make(runtime.settings.body_budget,
        [refusals](Budget::Share share) { refusals[static_cast<std::size_t>(share)]->Increment(); });
    runtime.metrics.gauge_callback("tetrad_http_body_bytes",
        "Memory in bytes held for request bodies and the JSON parsed from them.",
        [budget] { return static_cast<double>(budget->held()); });
    runtime.metrics.gauge("tetrad_http_body_budget_bytes", "Limit of tetrad_http_body_bytes.")
        .Set(static_cast<double>(budget->total()));
    return budget;
}

auth::JwksOptions jwks_options(TokenIssuer const& issuer)
{
    if (issuer.own) return own_jwks;
    return issuer.jwks_file.empty() ? auth::JwksOptions{} : auth::jwks_file_options();
}

} // namespace

TokenIssuer TokenIssuer::read(core::Config& config)
{
    TokenIssuer issuer;
    issuer.jwks_file = config.text("JWKS_FILE", "", "file with the JWK set of the user tokens' issuer");
    issuer.jwks_url = config.text(
        "JWKS_URL", "", "URL of the JWK set of the user tokens' issuer; JWKS_FILE takes precedence");
    if (issuer.jwks_file.empty() && issuer.jwks_url.empty())
        config.fault("JWKS_URL", "is required, unless JWKS_FILE is set");
    issuer.host = config.text("JWT_ISSUER_HOST", "auth.localhost", "base host of the user tokens' issuer");
    return issuer;
}

std::vector<pg::Component const*> Platform::components(std::initializer_list<pg::Component const*> own)
{
    std::vector<pg::Component const*> all{&tenancy::migrations(), &audit::migrations(),
        &idempotency::migrations(), &auth::migrations(), &jobs::migrations(), &webhooks::migrations()};
    all.insert(all.end(), own);
    return all;
}

Platform::Platform(PlatformOptions options, Runtime const& runtime)
    : options_(std::move(options)), runtime_(runtime),
      keyring_(crypto::Keyring::parse(runtime.settings.encryption_keys.reveal())),
      master_key_(runtime.settings.master_key, runtime.settings.master_key_previous),
      db_({.url = runtime.settings.database_url.reveal(),
          .application_name = options_.name,
          .threads = runtime.settings.database_pool,
          .transaction_pooling = runtime.settings.database_transaction_pooling,
          .report = [&logger = runtime.logger](std::string const& event) { logger.warn(event); }}),
      redis_({.address = redis::Address::parse(runtime.settings.redis_url.reveal()),
                 .tls = runtime.settings.redis_tls,
                 .timeout = runtime.settings.redis_timeout,
                 .script_clock = runtime.settings.redis_clock},
          runtime.io.contexts(), runtime.logger),
      limiter_(redis_, options_.name),
      internal_({.addresses = http::AddressPolicy(true), .ca_file = runtime.settings.outbound_ca_file}),
      outbound_({.addresses = http::AddressPolicy(runtime.settings.outbound_allow_private),
          .ca_file = runtime.settings.outbound_ca_file}),
      directory_(db_, [this] { return live(); }, {.shared_settings = options_.shared_settings}),
      keys_(db_, runtime.clock, {.kinds = options_.key_kinds}, [this] { return live(); }),
      jwks_(jwks_source(options_.issuer, internal_, db_, keyring_), jwks_options(options_.issuer),
          [&logger = runtime.logger](std::string const& what) {
              logger.warn("the token issuer's keys cannot be read", {{"error", what}});
          }),
      tokens_(jwks_, runtime.clock, {.issuer_host = options_.issuer.host}),
      webhooks_{db_, runtime.clock, keyring_, outbound_.addresses(), options_.events},
      eraser_(db_, runtime.clock, {[this](core::Scope const& scope) { erase_outside(scope); }}),
      tenants_{db_, runtime.clock, eraser_},
      heavy_reads_(std::clamp<std::size_t>(runtime.settings.database_pool / 2, 1, heavy_reads_of_a_scope)),
      job_metrics_(runtime.metrics),
      survey_(db_, runtime.clock, runtime.metrics, [&logger = runtime.logger](std::string_view what) {
          logger.warn("the gauges of queues and tasks cannot be read from the database",
              {{"error", observe::first_line(what)}});
      })
{
    add_shared_work();
    show_state();
}

void Platform::show_state()
{
    auto const show = [this](std::string const& name, std::string const& help, std::function<double()> read) {
        runtime_.metrics.gauge_callback(name, help, std::move(read));
    };
    show("tetrad_database_callers_apart",
        "Callers that wait apart from others, because another transaction holds the lock of their scope.",
        [this] { return static_cast<double>(*db_.apart_callers()); });
    show("tetrad_database_connected", "Whether a connection to PostgreSQL works.",
        [this] { return reaches_database() ? 1.0 : 0.0; });
    show("tetrad_database_listening",
        "Whether notifications of changes by other processes are received (within a second).",
        [this] { return live() ? 1.0 : 0.0; });
    show("tetrad_database_queue_jobs", "Jobs waiting for a database thread.",
        [this] { return static_cast<double>(db_.queued()); });
    show("tetrad_database_threads", "Number of database threads.",
        [this] { return static_cast<double>(db_.options().threads); });
    show("tetrad_database_threads_busy", "Database threads that run a job at present.",
        [this] { return static_cast<double>(db_.busy()); });
    show("tetrad_redis_connected", "Whether a connection to Redis works.",
        [this] { return redis_.healthy() ? 1.0 : 0.0; });
    show("tetrad_token_keys_age_seconds",
        "Age of the last confirmation of the keys for user tokens, in seconds.",
        [this] { return std::chrono::duration<double>(jwks_.age()).count(); });
}

void Platform::add_shared_work()
{
    if (!options_.events.empty()) {
        add_webhooks();
        add_purge("webhooks.purge", rows_a_step,
            [this](pg::Tx& tx, std::vector<std::int64_t> const& scopes, std::size_t rows) {
                return webhooks::purge(tx, scopes, runtime_.clock.now() - webhooks::retention, rows);
            });
    }
    add_purge("jobs.purge", rows_a_step,
        [this](pg::Tx& tx, std::vector<std::int64_t> const& scopes, std::size_t rows) {
            return jobs::purge_dead(tx, scopes, runtime_.clock.now() - jobs::dead_jobs_retention, rows);
        });
    add_periodic(
        {.name = "idempotency.purge"}, [this](std::stop_token const&) { return idempotency::purge(db_); });
    add_periodic({.name = "tenants.erase", .interval = std::chrono::minutes(1)},
        [this](std::stop_token const& stop) { return eraser_.step(stop); });
}

void Platform::add_webhooks()
{
    using webhooks::Admission;
    for (std::size_t i = 0; i < webhook_answers_.size(); ++i)
        webhook_answers_[i] = &runtime_.metrics.counter("tetrad_webhook_attempts_total",
            "Attempts to deliver a webhook, by class of the response status.",
            {{"answer", i == 0 ? "none" : std::to_string(i + 1) + "xx"}});
    for (auto const reason : {Admission::Reason::host, Admission::Reason::slow, Admission::Reason::memory})
        webhooks_put_off_.at(static_cast<std::size_t>(reason)) =
            &runtime_.metrics.counter("tetrad_webhook_put_off_total",
                "Deliveries put off before an attempt, because too many attempts to their host or to slow "
                "endpoints were in flight, or too many payload bytes were in memory.",
                {{"reason", std::string(to_string(reason))}});
    webhook_client_.emplace(http::ClientOptions{
        .addresses = outbound_.addresses(), .ca_file = runtime_.settings.outbound_ca_file});
    sender_.emplace(db_, runtime_.clock, keyring_, *webhook_client_,
        webhooks::Sender::Hooks{.answered = [this](unsigned status) { count_answer(status); },
            .put_off =
                [this](Admission::Reason reason) {
                    webhooks_put_off_.at(static_cast<std::size_t>(reason))->Increment();
                }});
    show_webhooks();
    survey_.add_queue(webhooks::queue);
    job_metrics_.expect(webhooks::queue, {"done", "retry", "dead", "lost"});
    beginnings_.emplace_back([this] {
        deliverer_ = std::make_unique<jobs::AsyncWorker>(
            db_, runtime_.clock, webhooks::Sender::options(), sender_->handler(), hooks_of(webhooks::queue));
        show_worker(webhooks::queue, webhooks::places, [this] { return deliverer_->in_flight(); });
    });
}

void Platform::show_webhooks()
{
    auto const show = [this](std::string const& name, std::string const& help,
                          std::size_t webhooks::Sender::Load::* of) {
        runtime_.metrics.gauge_callback(
            name, help, [this, of] { return static_cast<double>(sender_->load().*of); });
    };
    show("tetrad_webhook_attempts_in_flight", "Webhook attempts in flight.",
        &webhooks::Sender::Load::in_flight);
    show("tetrad_webhook_slow_attempts_in_flight",
        "Webhook attempts in flight to endpoints whose last attempt timed out.",
        &webhooks::Sender::Load::slow);
    show("tetrad_webhook_deliveries_waiting",
        "Deliveries that wait in memory, because the maximum number of attempts to their host is in flight.",
        &webhooks::Sender::Load::waiting);
}

/// A status below 200 means that there was no valid response.
void Platform::count_answer(unsigned webhook_status) noexcept
{
    webhook_answers_[webhook_status < 200 ? 0 : std::min(webhook_status / 100, 5U) - 1]->Increment();
}

void Platform::erase_outside(core::Scope const& scope)
{
    wait(redis_.erase_prefix(options_.name + ":rl:{" + std::to_string(scope.id) + ":"));
    for (auto const& erase : erasures_)
        erase(scope);
}

void Platform::add_worker(jobs::WorkerOptions options, jobs::Handler handler)
{
    survey_.add_queue(options.queue);
    job_metrics_.expect(options.queue, {"done", "retry", "dead", "lost"});
    beginnings_.emplace_back([this, options = std::move(options), handler = std::move(handler)] {
        auto const& worker = *workers_.emplace_back(
            std::make_unique<jobs::Worker>(db_, runtime_.clock, options, handler, hooks_of(options.queue)));
        show_worker(options.queue, options.threads, [&worker] { return worker.in_flight(); });
    });
}

/// Counts and logs each run of the queue's jobs.
jobs::Hooks Platform::hooks_of(std::string const& queue)
{
    auto const ended = [this](jobs::Claim const& claim, std::string_view how, std::chrono::nanoseconds took) {
        job_metrics_.finished(claim.queue, how, took);
        runtime_.logger.info(
            "job", {{"queue", claim.queue}, {"scopeId", claim.scope_id}, {"ref", claim.ref.to_string()},
                       {"attempt", claim.attempts}, {"outcome", how},
                       {"durationUs", std::chrono::duration_cast<std::chrono::microseconds>(took).count()},
                       {"traceId", observe::trace_id_of(claim.traceparent)}});
    };
    jobs::Hooks hooks;
    hooks.finished = [ended](jobs::Claim const& claim, jobs::Outcome::Kind kind, auto took) {
        ended(claim, jobs::to_string(kind), took);
    };
    hooks.lost = [ended](jobs::Claim const& claim) { ended(claim, "lost", {}); };
    hooks.failed = [this, queue](std::string_view what, jobs::Claim const* claim) {
        auto const& of = claim != nullptr ? *claim : jobs::Claim{};
        runtime_.logger.warn("a job failed",
            {{"queue", queue}, {"scopeId", of.scope_id}, {"ref", claim != nullptr ? of.ref.to_string() : ""},
                {"error", observe::first_line(what)}, {"traceId", observe::trace_id_of(of.traceparent)}});
    };
    return hooks;
}

void Platform::show_worker(
    std::string const& queue, std::size_t capacity, std::function<std::size_t()> in_flight)
{
    observe::Metrics::Labels const labels{{"queue", queue}};
    runtime_.metrics
        .gauge("tetrad_worker_threads", "Maximum number of jobs of the queue that this replica runs at once.",
            labels)
        .Set(static_cast<double>(capacity));
    runtime_.metrics.gauge_callback(
        "tetrad_worker_threads_busy", "Jobs of the queue that this replica runs at present.",
        [in_flight = std::move(in_flight)] { return static_cast<double>(in_flight()); }, labels);
}

void Platform::add_periodic(jobs::PeriodicOptions options, jobs::Periodic::Step step)
{
    survey_.add_task(options.name);
    auto& failures = runtime_.metrics.counter("tetrad_periodic_task_failures_total",
        "Failed runs of a periodic task in this replica.", {{"task", options.name}});
    beginnings_.emplace_back([this, &failures, options = std::move(options), step = std::move(step)] {
        auto failed = [this, &failures, name = options.name](std::string_view what) {
            failures.Increment();
            runtime_.logger.warn(
                "a periodic task failed", {{"task", name}, {"error", observe::first_line(what)}});
        };
        periodics_.push_back(std::make_unique<jobs::Periodic>(db_, options, step, failed));
    });
}

void Platform::add_purge(std::string name, std::size_t rows, Purge purge)
{
    auto step = [this, rows, purge = std::move(purge), up_to = std::int64_t{0}](
                    std::stop_token const&) mutable {
        auto const scopes = db_.transact_blocking(pg::Scopes(),
            [&](pg::Tx& tx) { return tenancy::tenant_rows::scopes_after(tx, up_to, scopes_a_step); });
        if (scopes.empty()) {
            up_to = 0;
            return false;
        }
        auto const purged =
            db_.transact_blocking(pg::Scopes(scopes), [&](pg::Tx& tx) { return purge(tx, scopes, rows); });
        if (purged < rows) up_to = scopes.back();
        return true;
    };
    add_periodic({.name = std::move(name)}, std::move(step));
}

void Platform::serve(std::vector<http::Endpoint> endpoints)
{
    for (auto& endpoint : endpoints)
        endpoint = heavy_reads_.guard(std::move(endpoint));
    http_metrics_ =
        std::make_unique<observe::HttpMetrics>(runtime_.metrics, gateway::route_labels(endpoints));
    gateway_ = std::make_unique<gateway::Gateway>(
        gateway::Options{.base_host = runtime_.settings.base_host,
            .tenant_headers = options_.tenant_headers,
            .trusted_proxies = runtime_.settings.trusted_proxies,
            .user_requests_per_minute = options_.user_requests_per_minute,
            .rate_limit_fails_open = options_.rate_limit_fails_open,
            .cookies_from_allowed_origins = options_.cookies_from_allowed_origins,
            .auth_host = options_.issuer.host},
        gateway::Deps{.tenants = directory_,
            .master_key = master_key_,
            .keys = &keys_,
            .user_tokens = &tokens_,
            .rate_limiter = &limiter_,
            .bodies = make_body_budget(runtime_),
            .logger = runtime_.logger,
            .metrics = *http_metrics_},
        http::Router(std::move(endpoints)));
}

bool Platform::live() const noexcept
{
    return listener_ && listener_->live();
}

bool Platform::reaches_database() const noexcept
{
    // Behind a pooler, a connection may work although the server is down. The listener connects to the server
    // directly, so its state counts, too.
    return db_.healthy() && (!runtime_.settings.database_transaction_pooling || live());
}

std::vector<ReadyCheck> Platform::ready_checks()
{
    return {{"database", [this] { return reaches_database(); }}};
}

void Platform::start()
{
    for (auto const& begin : beginnings_)
        begin();
    listen();
    survey_.start();
}

void Platform::listen()
{
    auto on_jobs = [this](std::string const& queue) {
        for (auto& worker : workers_)
            worker->on_notification(queue);
        if (deliverer_) deliverer_->on_notification(queue);
    };
    auto on_gap = [this] {
        directory_.on_gap();
        keys_.on_gap();
        for (auto& worker : workers_)
            worker->wake();
        if (deliverer_) deliverer_->wake();
    };
    pg::ListenerHandlers handlers{
        .channels = {{tenancy::channel, [this](std::string const& slug) { directory_.on_notify(slug); }},
            {auth::ApiKeys::channel, [this](std::string const& hash) { keys_.on_notify(hash); }},
            {jobs::channel, on_jobs}},
        .on_gap = on_gap,
        .on_silence = [this](bool silent) { db_.set_silent(silent); }};
    listener_ = std::make_unique<pg::Listener>(runtime_.settings.session_url().reveal(), std::move(handlers));
}

void Platform::begin_stop() noexcept
{
    for (auto& worker : workers_)
        worker->request_stop();
    if (deliverer_) deliverer_->request_stop();
    for (auto& periodic : periodics_)
        periodic->request_stop();
    survey_.request_stop();
}

void Platform::stop_workers()
{
    if (listener_) listener_->stop();
    begin_stop();
    for (auto& worker : workers_)
        worker->stop();
    if (deliverer_) deliverer_->stop();
    for (auto& periodic : periodics_)
        periodic->stop();
    survey_.stop();
    eraser_.stop();
    keys_.stop();
}

void Platform::stop()
{
    jwks_.stop();
    redis_.stop();
    db_.stop();
}

} // namespace service
