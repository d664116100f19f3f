#include "app.hpp"

#include "api/user_export.hpp"
#include "domain/attachment.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "routes.hpp"
#include "service/reencrypt.hpp"
#include "storage/carrier_configs.hpp"
#include "storage/email_domain_checks.hpp"
#include "storage/email_domains.hpp"
#include "storage/suppressions.hpp"
#include "storage/user_data.hpp"
#include "storage/web_subscriptions.hpp"
#include "storage/webhook_events.hpp"
#include "workers/email_domain_checks.hpp"
#include "workers/retention.hpp"

#include <array>

namespace notify {

namespace {

constexpr unsigned body_readers = 2;

service::ServiceOptions service_options(Config const& config)
{
    return {.name = "notify",
        .issuer = config.issuer,
        .key_kinds = {{"secret", "ntf_", core::Access::key},
            {"publishable", "pk_", core::Access::publishable_key}},
        .events = webhook_events::all,
        .tenant_headers = true,
        .requests = {.of_user = 600, .fails_open = false}};
}

blobs::AttachmentsOptions attachments_options(blobs::Options const& options)
{
    auto made = options.attachments();
    made.max_bytes = max_attachment_bytes;
    made.reusable = true;
    return made;
}

PushOptions with_outbound(PushOptions options, service::Settings const& settings)
{
    options.ca_file = settings.outbound_ca_file;
    options.allow_private = settings.outbound_allow_private;
    return options;
}

/// Counts the carriers' responses.
std::function<void(PushBatch const&)> count_results(observe::Metrics& metrics)
{
    using Lane = observe::AnswerMetrics;
    std::array<Lane, core::names_of<Carrier>.size()> const lanes{
        Lane(metrics, std::string(to_string(Carrier::fcm)), core::names_of<Verdict>),
        Lane(metrics, std::string(to_string(Carrier::apns)), core::names_of<Verdict>),
        Lane(metrics, std::string(to_string(Carrier::webpush)), core::names_of<Verdict>)};
    return [lanes](PushBatch const& batch) {
        std::array<std::size_t, core::names_of<Verdict>.size()> counts{};
        for (auto const& result : batch.results)
            if (result.handed_out) ++counts[static_cast<std::size_t>(result.verdict)];
        auto const& lane = lanes[static_cast<std::size_t>(batch.credential->carrier())];
        for (std::size_t i = 0; i < counts.size(); ++i)
            if (counts[i] > 0) lane.count(i, counts[i]);
    };
}

/// Counts how often the breakers open.
Breakers::Observer count_breakers(observe::Metrics& metrics)
{
    std::array<prometheus::Counter*, core::names_of<Carrier>.size()> opened{};
    for (std::size_t i = 0; i < opened.size(); ++i)
        opened[i] =
            &metrics.counter("tetrad_push_breaker_opened_total", "How often a push carrier was found down.",
                {{"carrier", std::string(core::names_of<Carrier>[i])}});
    return [opened](Carrier carrier, std::string_view /*origin*/, bool open) {
        if (open) opened[static_cast<std::size_t>(carrier)]->Increment();
    };
}

/// Warns operators who use the settings of a local run in production.
void warn_of_outboxes(Config const& config, observe::Logger& logger)
{
    auto const warn = [&](bool outbox, char const* setting) {
        if (outbox) logger.warn("messages are written to a file and not sent", {{"setting", setting}});
    };
    warn(!config.sms.twilio, "SMS_PROVIDER=outbox");
    warn(!config.mail.smtp, "EMAIL_PROVIDER=outbox");
    warn(!config.push.outbox.empty(), "PUSH_PROVIDER=outbox");
}

/// The domain of an email address.
std::string domain_of(std::string const& address)
{
    return address.substr(address.rfind('@') + 1);
}

} // namespace

App::App(Config const& config, service::Runtime const& runtime)
    : ServiceBase(service_options(config), runtime), sms_(config.sms),
      web_push_hosts_(config.push.web_push_hosts),
      store_(blobs::make_store(
          config.blobs, {keyring_, internal_, runtime.clock, runtime.logger, runtime.metrics})),
      attachments_(db_, *store_, runtime.clock, attachments_options(config.blobs)),
      quota_(redis_, options_.name + ":rl"), readers_(body_readers),
      push_quota_(redis_, runtime.io.first(), config.push.fcm_quota),
      push_(with_outbound(config.push, runtime.settings), internal_, &push_quota_, runtime.clock,
          runtime.logger,
          {.finished = count_results(runtime.metrics), .breaker = count_breakers(runtime.metrics)}),
      mailer_(mail::make_mailer(config.mail, runtime.settings.outbound_ca_file, runtime.metrics)),
      dns_({.servers = config.dns_servers}), domains_{.db = db_,
                                                 .dns = dns_,
                                                 .dkim_keys = dkim_keys_,
                                                 .keyring = keyring_,
                                                 .clock = runtime.clock,
                                                 .spf_domain = domain_of(config.mail.from.address)},
      job_handlers_(sms_, {.db = db_,
                              .redis = redis_,
                              .directory = directory_,
                              .blobs = *store_,
                              .client = internal_,
                              .outbound_ca_file = runtime.settings.outbound_ca_file,
                              .keyring = keyring_,
                              .push = push_,
                              .mailer = *mailer_,
                              .io = runtime.io.first(),
                              .broadcast_chunk = config.broadcast_chunk,
                              .clock = runtime.clock,
                              .logger = runtime.logger,
                              .metrics = runtime.metrics}),
      batchers_(db_), deps_{
                          .db = db_,
                          .batchers = batchers_,
                          .keys = keys_,
                          .tenants = tenants_,
                          .users = users_,
                          .directory = directory_,
                          .attachments = attachments_,
                          .webhooks = webhooks_,
                          .keyring = keyring_,
                          .quota = quota_,
                          .readers = readers_,
                          .push = push_,
                          .web_push_hosts = web_push_hosts_,
                          .domains = domains_,
                          .sms = sms_,
                          .clock = runtime.clock,
                          .logger = runtime.logger,
                      }
{
    warn_of_outboxes(config, runtime.logger);
    add_work();
    add_user_data();
    add_metrics();
    serve(http::bind<Deps>(routes, deps_));
} // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses track of the functor in a std::function

void App::add_work()
{
    add_erasure([this](core::Scope const& scope) { attachments_.erase_scope(scope); });
    add_worker({.queue = blobs::expire_queue, .threads = 1}, blobs::expire_handler(attachments_));
    add_worker({.queue = blobs::settle_queue, .threads = 1}, blobs::settle_handler(attachments_));
    add_worker({.queue = email_domain_checks::queue, .threads = 1}, email_domain_checks::handler(domains_));
    auto const retention = std::make_shared<RetentionPurge>(db_, runtime_.clock, runtime_.metrics);
    add_periodic({.name = RetentionPurge::task},
        [retention](std::stop_token const& /*stop*/) { return retention->step(); });
    for (auto& [options, handler] : job_handlers_.queues())
        add_worker(std::move(options), std::move(handler));
    for (auto& [options, handler] : job_handlers_.async_queues())
        add_worker(std::move(options), std::move(handler));
}

void App::add_user_data()
{
    // The suppressions come first, because their addresses may be the tokens of devices. Then the devices, so
    // that no further push begins.
    for (user_data::Step const step : {suppressions::hash_user, user_rows::hide_tokens,
             user_rows::erase_devices, user_rows::erase_notifications, user_rows::erase_uploads})
        users_.add_step(step);
    add_channel(user_rows::erased_devices_channel,
        [this](std::string const& payload) { push_.drop_devices(user_rows::parse_devices(payload)); });
    users_.add_part(
        [this](pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id,
            std::string const& position) { return export_devices(tx, keyring_, scope, user_id, position); });
    users_.add_part(export_notifications);
}

void App::add_metrics()
{
    runtime_.metrics.gauge_callback("tetrad_push_queued_devices",
        "Devices whose push is queued or awaits the carrier's answer.",
        [this] { return static_cast<double>(push_.stats().queued); });
    for (std::size_t i = 0; i < core::names_of<Carrier>.size(); ++i) {
        add_breaker_gauge(static_cast<Carrier>(i), true);
        add_breaker_gauge(static_cast<Carrier>(i), false);
    }
    runtime_.metrics.gauge_callback("tetrad_push_connections", "Open connections to push carriers.",
        [this] { return static_cast<double>(push_.stats().connections); });
}

void App::add_breaker_gauge(Carrier carrier, bool of_origins)
{
    runtime_.metrics.gauge_callback("tetrad_push_breakers_open",
        "Open breakers of a push carrier: of its origins, or of single credentials or environments.",
        [this, carrier, of_origins] {
            return static_cast<double>(std::ranges::count_if(push_.open_breakers(), [&](auto const& open) {
                return open.carrier == carrier && (open.has_answered || carrier != Carrier::webpush) &&
                       (open.sender == Breakers::everyone) == of_origins;
            }));
        },
        {{"carrier", std::string(to_string(carrier))}, {"kind", of_origins ? "origin" : "sender"}});
}

std::vector<pg::Component const*> App::components()
{
    return ServiceBase::components({&blobs::migrations(), &migrations()});
}

service::Definition definition()
{
    return {
        .name = "notify",
        .config_prefix = "NOTIFY",
        .summary = "Delivers email, push and SMS notifications from templates, for many tenants",
        .defaults = {.base_host = "notify.localhost",
            .port = 8103,
            .ops_port = 9103,
            .body_budget = std::size_t{128} << 20},
        .components = App::components(),
        .configure = service::build<App, Config>,
        .commands = {service::reencrypt_command({outbound_webhooks::reencrypt, carrier_configs::reencrypt,
            email_domains::reencrypt, web_subscriptions::reencrypt})},
    };
}

} // namespace notify
