#include "service/service_base.hpp"

#include "audit/audit.hpp"
#include "idempotency/once.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "outbound_webhooks/policy.hpp"

#include <algorithm>
#include <stdexcept>

namespace service {

namespace {

constexpr std::size_t rows_a_step = 5'000;
/// Concurrent expensive reads per scope. The limit is lower if half of the database's connections are fewer.
constexpr std::size_t expensive_requests_per_scope = 4;

constexpr auth::JwksOptions own_jwks{
    .refresh = std::chrono::seconds(5), .min_refetch = std::chrono::seconds(1)};

auth::Jwks::Fetch jwks_source(
    TokenIssuer const& issuer, http_client::Client& client, pg::Database& db, crypto::Keyring const& keyring)
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

std::vector<pg::Component const*> ServiceBase::components(std::initializer_list<pg::Component const*> own)
{
    std::vector<pg::Component const*> all{&tenancy::migrations(), &audit::migrations(),
        &idempotency::migrations(), &auth::migrations(), &jobs::migrations(),
        &outbound_webhooks::migrations()};
    all.insert(all.end(), own);
    return all;
}

ServiceBase::ServiceBase(ServiceOptions options, Runtime const& runtime)
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
      limiter_(redis_, options_.name), requests_(options_.requests, limiter_, runtime.logger),
      internal_(
          {.addresses = http_client::AddressPolicy(true), .ca_file = runtime.settings.outbound_ca_file}),
      outbound_({.addresses = http_client::AddressPolicy(runtime.settings.outbound_allow_private),
          .ca_file = runtime.settings.outbound_ca_file}),
      directory_(db_, [this] { return live(); }, {.shared_settings = options_.shared_settings}),
      keys_(db_, runtime.clock, {.kinds = options_.key_kinds}, [this] { return live(); }),
      jwks_(jwks_source(options_.issuer, internal_, db_, keyring_), jwks_options(options_.issuer),
          [&logger = runtime.logger](std::string const& what) {
              logger.warn("the token issuer's keys cannot be read", {{"error", what}});
          }),
      tokens_(jwks_, runtime.clock,
          {.issuer_host = options_.issuer.host,
              .accept_enrolment = options_.accept_enrolment_tokens,
              .erasure_audience = options_.accept_erasure_tokens ? options_.name : std::string(),
              .clients_apart = !options_.own_clients.empty(),
              .own_clients = options_.own_clients}),
      erased_users_(db_, runtime.clock, [this] { return live(); }), users_(db_, keyring_, runtime.clock),
      webhooks_{db_, runtime.clock, keyring_, outbound_.addresses(), options_.events},
      eraser_(db_, runtime.clock, {[this](core::Scope const& scope) { erase_outside(scope); }}),
      tenants_{db_, runtime.clock, eraser_},
      expensive_requests_(
          std::clamp<std::size_t>(runtime.settings.database_pool / 2, 1, expensive_requests_per_scope)),
      background_work_(db_, runtime)
{
    add_shared_work();
    show_state();
}

void ServiceBase::show_state()
{
    auto const show = [this](std::string const& name, std::string const& help, std::function<double()> read) {
        runtime_.metrics.gauge_callback(name, help, std::move(read));
    };
    show("tetrad_database_callers_apart",
        "Callers that wait apart from others, because another transaction holds the lock of their scope.",
        [this] { return static_cast<double>(*db_.separate_callers()); });
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

void ServiceBase::add_shared_work()
{
    if (!options_.events.empty()) {
        webhook_delivery_.emplace(db_, limiter_, runtime_, keyring_, outbound_.addresses());
        webhooks_.tests = &webhook_delivery_->tests();
        background_work_.add_worker(outbound_webhooks::Sender::options(), webhook_delivery_->handler());
        add_purge("webhooks.purge", rows_a_step,
            [this](pg::Tx& tx, std::vector<core::ScopeId> const& scopes, std::size_t rows) {
                return outbound_webhooks::purge(
                    tx, scopes, runtime_.clock.now() - outbound_webhooks::retention, rows);
            });
    }
    add_purge("jobs.purge", rows_a_step,
        [this](pg::Tx& tx, std::vector<core::ScopeId> const& scopes, std::size_t rows) {
            return jobs::purge_dead(tx, scopes, runtime_.clock.now() - jobs::dead_jobs_retention, rows);
        });
    add_worker({.queue = user_data::sweep_queue, .threads = 1},
        users_.sweep_handler(runtime_.io.first().get_executor()));
    users_.add_outside([this](user_data::Erasure const& erasure) { return forget_requests(erasure); });
    add_periodic(
        {.name = "idempotency.purge"}, [this](std::stop_token const&) { return idempotency::purge(db_); });
    add_periodic({.name = "tenants.erase", .interval = std::chrono::minutes(1)},
        [this](std::stop_token const& stop) { return eraser_.step(stop); });
}

void ServiceBase::erase_outside(core::Scope const& scope)
{
    wait(redis_.erase_prefix(options_.name + ":rl:{" + core::to_string(scope.id) + ":"));
    for (auto const& erase : erasures_)
        erase(scope);
}

asio::awaitable<void> ServiceBase::forget_requests(user_data::Erasure const& erasure)
{
    auto const subject = gateway::rate_subject_of_user(erasure.scope.id, erasure.user_id.text());
    try {
        co_await limiter_.forget(subject, gateway::rate_window);
    } catch (std::runtime_error const& error) { // redis::Unavailable, redis::CommandError
        // The counter ends by itself, so an erasure does not fail because of it.
        runtime_.logger.warn("the requests of an erased user are counted for up to a minute longer",
            {{"error", observe::first_line(error.what())}});
    }
}

void ServiceBase::serve(std::vector<http::Endpoint> endpoints)
{
    for (auto& endpoint : endpoints)
        endpoint = expensive_requests_.limit(std::move(endpoint));
    http_metrics_ =
        std::make_unique<observe::HttpMetrics>(runtime_.metrics, gateway::route_labels(endpoints));
    gateway_ = std::make_unique<gateway::Gateway>(
        gateway::Options{.base_host = runtime_.settings.base_host,
            .tenant_headers = options_.tenant_headers,
            .trusted_proxies = runtime_.settings.trusted_proxies,
            .cookies_from_allowed_origins = options_.cookies_from_allowed_origins,
            .auth_host = options_.issuer.host,
            .board_host = options_.board_host},
        gateway::Deps{.tenants = directory_,
            .master_key = master_key_,
            .keys = &keys_,
            .user_tokens = &tokens_,
            .erased_users = &erased_users_,
            .requests = &requests_,
            .bodies = make_body_budget(runtime_),
            .logger = runtime_.logger,
            .metrics = *http_metrics_},
        http::Router(std::move(endpoints)));
}

bool ServiceBase::live() const noexcept
{
    auto const* const listener = started_listener_.load();
    return listener != nullptr && listener->live();
}

bool ServiceBase::reaches_database() const noexcept
{
    // Behind a pooler, a connection may work although the server is down. The listener connects to the server
    // directly, so its state counts, too.
    return db_.healthy() && (!runtime_.settings.database_transaction_pooling || live());
}

std::vector<ReadyCheck> ServiceBase::ready_checks()
{
    return {{"database", [this] { return reaches_database(); }}};
}

void ServiceBase::start()
{
    background_work_.start();
    listen();
}

void ServiceBase::listen()
{
    auto on_gap = [this] {
        directory_.on_gap();
        keys_.on_gap();
        erased_users_.on_gap();
        background_work_.wake();
    };
    pg::ListenerHandlers handlers{
        .channels = {{tenancy::channel, [this](std::string const& slug) { directory_.on_notify(slug); }},
            {auth::ApiKeys::channel, [this](std::string const& hash) { keys_.on_notify(hash); }},
            {auth::ErasedUsers::channel, [this](std::string const& hash) { erased_users_.on_notify(hash); }},
            {jobs::channel, [this](std::string const& queue) { background_work_.on_notification(queue); }}},
        .on_gap = on_gap,
        .on_silence = [this](bool silent) { db_.set_silent(silent); }};
    handlers.channels.insert(channels_.begin(), channels_.end());
    listener_ = std::make_unique<pg::Listener>(runtime_.settings.session_url().reveal(), std::move(handlers));
    started_listener_ = listener_.get();
}

void ServiceBase::begin_stop() noexcept
{
    if (webhook_delivery_) webhook_delivery_->tests().request_stop();
    background_work_.request_stop();
}

void ServiceBase::stop_workers()
{
    if (listener_) listener_->stop();
    begin_stop();
    background_work_.stop();
    eraser_.stop();
    keys_.stop();
}

void ServiceBase::stop()
{
    jwks_.stop();
    redis_.stop();
    db_.stop();
}

} // namespace service
