#include "app.hpp"

#include "api/account_export.hpp"
#include "domain/client.hpp"
#include "flows/account_events.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "routes.hpp"
#include "service/reencrypt.hpp"
#include "storage/account_rows.hpp"
#include "storage/activity.hpp"
#include "storage/authorization_codes.hpp"
#include "storage/email_tokens.hpp"
#include "storage/identities.hpp"
#include "storage/provider_secrets.hpp"
#include "storage/signing_keys.hpp"
#include "storage/totp_seeds.hpp"
#include "storage/trusted_devices.hpp"

namespace auth_mfa {

namespace {

constexpr std::size_t rows_a_step = 2'000;
/// Requests for pages of the console and their configuration that a network (/24, /48) may send to one tenant
/// within a minute.
constexpr std::int64_t console_requests_per_minute = 600;
/// How long ended sessions and expired trusted devices are kept, for investigations.
constexpr std::chrono::days kept_after_end{7};

service::ServiceOptions service_options(
    Config const& config, service::Settings const& settings, std::shared_ptr<SigningKeyCache> const& keys)
{
    return {.name = "auth-mfa",
        .issuer = {.host = settings.base_host,
            .own = [keys](
                       pg::Database& db, crypto::Keyring const& keyring) { return keys->load(db, keyring); }},
        .key_kinds = {{"secret", "aut_", core::Access::key}},
        .events = event_types,
        .requests = {.of_network = console_requests_per_minute},
        .accept_enrolment_tokens = true,
        .own_clients = {std::string(console_client), std::string(board_client)},
        .accept_erasure_tokens = false,       // this service sends them
        .cookies_from_allowed_origins = true, // tenants' pages receive and send the cookie mfa_device
        .board_host = config.feedback_base_host};
}

/// For operators who use the settings of a local run or a test in production.
void warn_of_weak_settings(Config const& config, observe::Logger& logger)
{
    auto const warn = [&](bool outbox, char const* setting) {
        if (outbox) logger.warn("messages are written to files and not sent", {{"setting", setting}});
    };
    warn(!config.sms.twilio, "SMS_PROVIDER=outbox");
    warn(!config.mail.smtp, "EMAIL_PROVIDER=outbox");
    if (config.feedback_base_host.empty())
        logger.warn("boards cannot sign users in", {{"setting", "FEEDBACK_BASE_HOST"}});
    if (config.password_cost.memory_kib < crypto::Argon2Cost().memory_kib)
        logger.warn("hashes of passwords are weak", {{"setting", "ARGON2_MEMORY_KIB"}});
}

crypto::PasswordHasherOptions hasher_options(Config const& config, observe::Metrics& metrics)
{
    auto& hashes = metrics.counter("tetrad_password_hashes_total",
        "Argon2id hashes computed, to store or to compare passwords and recovery codes.");
    metrics.gauge("tetrad_password_threads", "Threads that hash passwords.").Set(config.password_threads);
    return {.threads = config.password_threads, .cost = config.password_cost, .on_hash = [&hashes] {
                hashes.Increment();
            }};
}

/// `rotate-signing-key`: creates the next signing key. The key is published at once. It starts to sign after
/// SIGNING_KEY_OVERLAP_SECONDS, so that every verifier can fetch it first.
service::Command rotate_command()
{
    service::Command verb{.name = "rotate-signing-key", .help = "create a new signing key for access tokens"};
    verb.prepare = [](core::Config& config, service::Settings const& settings) -> service::Command::Task {
        std::chrono::seconds const overlap(config.integer("SIGNING_KEY_OVERLAP_SECONDS", 900, 0, 604'800,
            "seconds between publishing a new signing key and signing with it"));
        return [overlap, url = settings.session_url(), keys = settings.encryption_keys](
                   observe::Logger& logger) {
            pg::Database db({.url = url.reveal(), .application_name = "rotate-signing-key", .threads = 1});
            auto const keyring = crypto::Keyring::parse(keys.reveal());
            core::Time const now = core::SystemClock().now();
            db.transact_blocking(
                pg::Scopes(), [&](pg::Tx& tx) { signing_keys::rotate(tx, keyring, now, now + overlap); });
            logger.info("created a new signing key", {{"signsFrom", core::to_rfc3339(now + overlap)}});
            return 0;
        };
    };
    return verb;
}

} // namespace

App::App(Config const& config, service::Runtime const& runtime)
    : App(config.below(runtime.settings.base_host), runtime, std::make_shared<SigningKeyCache>(runtime.clock))
{
}

App::App(Config const& config, service::Runtime const& runtime, std::shared_ptr<SigningKeyCache> keys)
    : ServiceBase(service_options(config, runtime.settings, keys), runtime), config_(config),
      hosts_(runtime.settings.base_host, options_.tenant_headers),
      passwords_(hasher_options(config, runtime.metrics)),
      breaches_(config.breach_api_url, internal_.addresses(), runtime.settings.outbound_ca_file,
          runtime.logger, runtime.metrics),
      tokens_(std::move(keys), jwks_, keyring_, runtime.clock,
          Issuer(runtime.settings.base_host, runtime.settings.port)),
      identity_providers_(outbound_.addresses(), runtime.settings.outbound_ca_file, runtime.logger),
      id_tokens_(outbound_, identity_providers_, runtime.clock), batchers_(db_), keyed_hash_(keyring_),
      challenges_(redis_, keyed_hash_), passkey_challenges_(redis_, keyed_hash_), client_assertions_(redis_),
      authorization_requests_(redis_, keyed_hash_, keyring_), sms_enrolments_(redis_, keyed_hash_),
      rate_limits_(
          redis_, keyed_hash_, {config.registrations_per_hour, registration_limit_per_network.window}),
      sms_codes_(config_.sms, config_.sms_brand_provider,
          {.redis = redis_,
              .client = {.addresses = internal_.addresses(), .ca_file = runtime.settings.outbound_ca_file},
              .directory = directory_,
              .clock = runtime.clock,
              .logger = runtime.logger,
              .metrics = runtime.metrics}),
      email_tokens_(keyring_), page_tokens_(keyring_),
      mailer_(mail::make_mailer(config_.mail, runtime.settings.outbound_ca_file, runtime.metrics)),
      mail_worker_({.db = db_,
          .directory = directory_,
          .tokens = email_tokens_,
          .issuer = tokens_.issuer(),
          .mailer = *mailer_,
          .io = runtime.io.first(),
          .clock = runtime.clock,
          .logger = runtime.logger}),
      erasure_worker_({.db = db_,
          .directory = directory_,
          .users = users_,
          .tokens = tokens_,
          .client = internal_,
          .targets = config_.erasure_targets,
          .io = runtime.io.first(),
          .clock = runtime.clock,
          .logger = runtime.logger,
          .metrics = runtime.metrics}),
      backchannel_logout_({.db = db_,
          .directory = directory_,
          .tokens = tokens_,
          .client = {.addresses = outbound_.addresses(), .ca_file = runtime.settings.outbound_ca_file},
          .io = runtime.io.first(),
          .clock = runtime.clock,
          .logger = runtime.logger,
          .metrics = runtime.metrics}),
      deps_{
          .config = config_,
          .db = db_,
          .batchers = batchers_,
          .keys = keys_,
          .webhooks = webhooks_,
          .tenants = tenants_,
          .users = users_,
          .directory = directory_,
          .hosts = hosts_,
          .outbound = outbound_.addresses(),
          .keyring = keyring_,
          .passwords = passwords_,
          .breaches = breaches_,
          .tokens = tokens_,
          .email_tokens = email_tokens_,
          .page_tokens = page_tokens_,
          .user_tokens = ServiceBase::tokens_,
          .id_token_verifier = id_tokens_,
          .identity_providers = identity_providers_,
          .keyed_hash = keyed_hash_,
          .challenges = challenges_,
          .passkey_challenges = passkey_challenges_,
          .client_assertions = client_assertions_,
          .authorization_requests = authorization_requests_,
          .sms_enrolments = sms_enrolments_,
          .rate_limits = rate_limits_,
          .requests = requests_,
          .sms_codes = sms_codes_,
          .image_checks = image_checks_,
          .clock = runtime.clock,
          .logger = runtime.logger,
      }
{
    add_purge("sessions.purge", rows_a_step,
        [this](pg::Tx& tx, std::vector<core::ScopeId> const& scopes, std::size_t rows) {
            auto const before = runtime_.clock.now() - kept_after_end;
            return sessions::purge(tx, scopes, before, rows) +
                   trusted_devices::purge(tx, scopes, before, rows);
        });
    add_erasure([this](core::Scope const& scope) {
        for (auto const& prefix :
            {Challenges::prefix(scope), PasskeyChallenges::prefix(scope), ClientAssertions::prefix(scope),
                SmsEnrolments::prefix(scope), AuthorizationRequests::prefix(scope), RateLimits::prefix(scope),
                sms_codes_.conversions().key(scope)})
            wait(redis_.erase_prefix(prefix));
    });
    runtime_.metrics.gauge_callback("tetrad_password_queue_jobs",
        "Passwords and recovery codes that wait to be hashed or are being hashed.",
        [this] { return static_cast<double>(passwords_.queued()); });
    runtime_.metrics.gauge_callback("tetrad_sms_in_flight",
        "Codes handed to the SMS provider, which has not answered yet.",
        [this] { return static_cast<double>(sms_codes_.in_flight()); });
    runtime_.metrics.gauge_callback("tetrad_sms_waiting",
        "Codes that wait because the maximum number of messages is in flight.",
        [this] { return static_cast<double>(sms_codes_.waiting()); });
    add_worker(MailWorker::options(), mail_worker_.handler());
    add_worker(ErasureWorker::options(), erasure_worker_.handler());
    for (auto const service : {ErasureService::feedback, ErasureService::notify, ErasureService::billing})
        add_worker(ErasureWorker::options_of(service), erasure_worker_.handler_of(service));
    add_worker(BackchannelLogout::options(), backchannel_logout_.handler());
    account_rows::add_steps(users_);
    users_.add_outside([this](user_data::Erasure const& erasure) { return forget_in_redis(erasure); });
    add_export_parts(users_);
    add_purge("account_life.purge", rows_a_step,
        [this](pg::Tx& tx, std::vector<core::ScopeId> const& scopes, std::size_t rows) {
            auto const now = runtime_.clock.now();
            return email_tokens::purge(tx, scopes, now - email_tokens::kept_after_end, rows) +
                   identities::purge_tokens(tx, scopes, now, rows) +
                   authorization_codes::purge(
                       tx, scopes, now - authorization_codes::kept_after_expiry, rows) +
                   activity::purge(tx, scopes, now - activity::retention, rows) +
                   erasures::purge(tx, scopes, now - erasures::retention, rows);
        });
    warn_of_weak_settings(config, runtime_.logger);
    serve(http::bind<Deps>(routes, deps_));
}

asio::awaitable<void> App::forget_in_redis(user_data::Erasure const& erasure)
{
    UserId const id(core::Uuid::parse(erasure.user_id.text()).value());
    co_await sms_enrolments_.remove(erasure.scope, id);
    co_await challenges_.forget(erasure.scope, id);
}

std::vector<pg::Component const*> App::components()
{
    return ServiceBase::components({&migrations()});
}

service::Definition definition()
{
    return {
        .name = "auth-mfa",
        .config_prefix = "AUTH",
        .summary = "Sign-in with a second factor, for many tenants",
        .defaults = {.base_host = "auth.localhost", .port = 8102, .ops_port = 9102},
        .components = App::components(),
        .configure = service::build<App, Config>,
        .commands = {service::reencrypt_command(
                         {outbound_webhooks::reencrypt, provider_secrets::reencrypt, totp_seeds::reencrypt},
                         {signing_keys::reencrypt}),
            rotate_command()},
    };
}

} // namespace auth_mfa
