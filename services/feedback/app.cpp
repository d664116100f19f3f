#include "app.hpp"

#include "api/events.hpp"
#include "api/user_export.hpp"
#include "hosted_pages/logos.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "routes.hpp"
#include "service/reencrypt.hpp"
#include "storage/mail_keys.hpp"
#include "storage/thread_mails.hpp"
#include "storage/user_data.hpp"
#include "workers/index_search.hpp"

namespace feedback {

namespace {

service::ServiceOptions service_options(Config const& config)
{
    return {.name = "feedback",
        .issuer = config.issuer,
        .key_kinds = {{"secret", "fbk_", core::Access::key}},
        .events = events::all,
        .tenant_headers = true,
        .requests = {.of_user = 600, .of_network = config.requests_of_network}};
}

} // namespace

App::App(Config const& config, service::Runtime const& runtime)
    : ServiceBase(service_options(config), runtime),
      store_(blobs::make_store(
          config.blobs, {keyring_, internal_, runtime.clock, runtime.logger, runtime.metrics})),
      attachments_(db_, *store_, runtime.clock, config.blobs.attachments()), batchers_(db_),
      board_{runtime.settings.base_host, *config.sign_in_url, pages::PageCache(runtime.metrics)},
      mailer_(mail::make_mailer(config.mail, runtime.settings.outbound_ca_file, runtime.metrics)),
      mails_({.db = db_,
          .directory = directory_,
          .keyring = keyring_,
          .urls = auth::TenantUrls(runtime.settings.base_host, runtime.settings.port),
          .mailer = *mailer_,
          .io = runtime.io.first(),
          .clock = runtime.clock,
          .logger = runtime.logger}),
      deps_{db_, batchers_, keys_, tenants_, directory_, users_, attachments_, webhooks_, keyring_, board_,
          image_checks_, runtime.clock}
{
    add_erasure([this](core::Scope const& scope) { attachments_.erase_scope(scope); });
    add_worker({.queue = blobs::expire_queue, .threads = 1}, blobs::expire_handler(attachments_));
    add_worker({.queue = blobs::settle_queue, .threads = 1}, blobs::settle_handler(attachments_));
    add_worker(MailHandlers::fan_out_options(), mails_.fan_out_handler());
    add_worker(MailHandlers::options(), mails_.handler());
    if (!config.mail.smtp)
        runtime.logger.warn(
            "messages are written to a file and not sent", {{"setting", "EMAIL_PROVIDER=outbox"}});
    handle_user_data();
    serve(endpoints());
}

std::vector<http::Endpoint> App::endpoints()
{
    auto all = http::bind<Deps>(routes, deps_);
    for (auto& endpoint : all) {
        if (endpoint.method == http::Method::get) continue;
        endpoint.handler = [this, handle = std::move(endpoint.handler)](
                               http::Request const& req) -> asio::awaitable<http::Response> {
            auto response = co_await handle(req);
            if (response.status < 300) board_.cache.changed(req.scope().id);
            co_return response;
        };
    }
    return all;
}

void App::handle_user_data()
{
    users_.allow_anonymizing();
    users_.add_step(user_rows::erase_threads);
    users_.add_step(user_rows::erase_replies);
    users_.add_step(user_rows::erase_attachments);
    users_.add_step(user_rows::erase_votes);
    users_.add_step(user_rows::erase_following);
    users_.add_step(thread_mails::erase_user);
    users_.add_step(user_rows::erase_assignments);
    users_.add_step(user_rows::erase_status_changes);
    users_.add_part(user_export::list_threads);
    users_.add_part(user_export::list_replies);
    users_.add_part(user_export::list_reply_edits);
    users_.add_part(user_export::list_votes);
    users_.add_part(user_export::list_attachments);
}

std::vector<pg::Component const*> App::components()
{
    return ServiceBase::components({&blobs::migrations(), &hosted_pages::migrations(), &migrations()});
}

service::Definition definition()
{
    return {
        .name = "feedback",
        .config_prefix = "FEEDBACK",
        .summary = "Threads of product feedback, for many tenants",
        .defaults = {.base_host = "feedback.localhost", .port = 8101, .ops_port = 9101},
        .components = App::components(),
        .configure = service::build<App, Config>,
        .commands = {service::reencrypt_command({outbound_webhooks::reencrypt, mail_keys::reencrypt}),
            index_search_command()},
    };
}

} // namespace feedback
