#include "app.hpp"

#include "api/user_export.hpp"
#include "ingest/publish.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "routes.hpp"
#include "service/reencrypt.hpp"
#include "storage/event_archive.hpp"
#include "storage/settings.hpp"
#include "storage/user_erasure.hpp"
#include "workers/reconciler.hpp"

#include <utility>

namespace billing {

namespace {

/// Threads for sync requests to the purchase provider, in total and per tenant. A request may take 10 s, so
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
      purchases_api_(config.purchases_api_url, internal_, runtime.metrics), upstream_(upstream_threads),
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
}

void App::add_work(unsigned archive_months)
{
    add_worker(reconciler::worker_options(), reconciler::handler({.db = db_,
                                                 .api = purchases_api_,
                                                 .keyring = keyring_,
                                                 .clock = runtime_.clock,
                                                 .logger = runtime_.logger}));
    add_periodic(reconciler::periodic_options(), reconciler::step(db_));
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
