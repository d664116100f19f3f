#include "app.hpp"

#include "api/user_export.hpp"
#include "ingest/publish.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "routes.hpp"
#include "service/reencrypt.hpp"
#include "storage/backfills.hpp"
#include "storage/event_archive.hpp"
#include "storage/settings.hpp"
#include "storage/user_erasure.hpp"
#include "workers/backfill.hpp"
#include "workers/deferred_events.hpp"
#include "workers/lapses.hpp"
#include "workers/reconciler.hpp"
#include "workers/unknown_charges.hpp"

#include <utility>

namespace billing {

namespace {

/// Threads for requests to the providers, in total and per tenant. A request may take 10 s, so
/// the limit per tenant keeps threads free for other tenants.
constexpr unsigned upstream_threads = 16;
constexpr std::size_t upstream_threads_of_a_tenant = 4;

constexpr std::array webhook_events{ingest::entitlement_changed};

service::ServiceOptions service_options(Config const& config)
{
    return {.name = "billing",
        .issuer = config.issuer,
        .key_kinds = {{"secret", "bil_", core::Access::key}},
        .events = webhook_events,
        .tenant_headers = false,
        .requests = {.of_user = 600},
        .shared_settings = true};
}

} // namespace

App::App(Config const& config, service::Runtime const& runtime)
    : ServiceBase(service_options(config), runtime),
      payments_signature_header_(config.payments_signature_header),
      purchases_api_(config.purchases_api_url, internal_, runtime.metrics),
      payments_api_(config.payments_api_url, internal_, runtime.metrics), upstream_(upstream_threads),
      upstream_limiter_(upstream_threads_of_a_tenant), event_metrics_(runtime.metrics), batchers_(db_),
      ingestor_(db_), deps_{
                          .db = db_,
                          .batchers = batchers_,
                          .ingestor = ingestor_,
                          .keys = keys_,
                          .tenants = tenants_,
                          .users = users_,
                          .directory = directory_,
                          .webhooks = webhooks_,
                          .keyring = keyring_,
                          .purchases_api = purchases_api_,
                          .payments_api = payments_api_,
                          .upstream = upstream_,
                          .upstream_limiter = upstream_limiter_,
                          .event_metrics = event_metrics_,
                          .payments_signature_header = payments_signature_header_,
                          .clock = runtime.clock,
                          .logger = runtime.logger,
                      }
{
    add_user_data();
    add_work(config.archive_months);
    serve(http::bind<Deps>(routes, deps_));
}

void App::add_user_data()
{
    for (auto const step :
        {user_erasure::file_events, user_erasure::erase_events, user_erasure::erase_subscriptions,
            user_erasure::erase_former_items, user_erasure::erase_entitlements})
        users_.add_step(step);
    users_.add_outside([this](user_data::Erasure const& erasure) -> boost::asio::awaitable<void> {
        co_await db_.transact(pg::Scopes::of_tenant(erasure.scope.tenant_id()),
            [&](pg::Tx& tx) { user_erasure::erase_sync(tx, erasure); });
    });
    for (auto& part : export_parts(runtime_.clock))
        users_.add_part(std::move(part));
    users_.show_both_environments(); // the settings for access are those of the production scope
}

void App::add_work(unsigned archive_months)
{
    add_worker(reconciler::worker_options(), reconciler::handler({.db = db_,
                                                 .purchases_api = purchases_api_,
                                                 .payments_api = payments_api_,
                                                 .keyring = keyring_,
                                                 .clock = runtime_.clock,
                                                 .logger = runtime_.logger}));
    add_periodic(reconciler::periodic_options(), reconciler::step(db_));
    add_worker(unknown_charges::worker_options(), unknown_charges::handler({.db = db_,
                                                      .api = payments_api_,
                                                      .keyring = keyring_,
                                                      .clock = runtime_.clock,
                                                      .logger = runtime_.logger}));
    add_worker(backfill::worker_options(), backfill::handler({.db = db_,
                                               .api = payments_api_,
                                               .keyring = keyring_,
                                               .clock = runtime_.clock,
                                               .logger = runtime_.logger}));
    add_purge("backfills.purge", 500,
        [this](pg::Tx& tx, std::vector<core::ScopeId> const& scopes, std::size_t rows) {
            return backfills::purge(tx, scopes, runtime_.clock.now() - backfills::retention, rows);
        });
    lapse_worker::Deps const lapses{.db = db_, .clock = runtime_.clock};
    add_worker(lapse_worker::worker_options(), lapse_worker::handler(lapses));
    add_worker(lapse_worker::reopening_options(), lapse_worker::reopening_handler(lapses));
    add_periodic(lapse_worker::periodic_options(), lapse_worker::step(lapses));
    deferred_events::Deps const deferred{.db = db_, .clock = runtime_.clock};
    add_worker(deferred_events::worker_options(), deferred_events::handler(deferred));
    add_periodic(deferred_events::periodic_options(), deferred_events::step(deferred));
    add_periodic({.name = "event-archive"}, [this, archive_months](std::stop_token const&) {
        return db_.transact_blocking(
            pg::Scopes(), [&](pg::Tx& tx) { return event_archive::maintain(tx, archive_months); });
    });
    add_gauge("tetrad_event_archive_months_ahead",
        "Future months for which the event archive has a partition.",
        [](pg::Tx& tx) { return static_cast<double>(event_archive::months_ahead(tx)); });
}

std::vector<pg::Component const*> App::components()
{
    return ServiceBase::components({&migrations()});
}

service::Definition definition()
{
    return {
        .name = "billing",
        .config_prefix = "BILLING",
        .summary = "Turns purchase and payment events into entitlements, for many tenants",
        .defaults = {.base_host = "billing.localhost", .port = 8104, .ops_port = 9104},
        .components = App::components(),
        .configure = service::build<App, Config>,
        .commands = {service::reencrypt_command({outbound_webhooks::reencrypt, settings::reencrypt})},
    };
}

} // namespace billing
