#include "app.hpp"

#include "api/events.hpp"
#include "api/user_export.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "routes.hpp"
#include "service/reencrypt.hpp"
#include "storage/user_data.hpp"

namespace feedback {

namespace {

service::ServiceOptions service_options(Config const& config)
{
    return {.name = "feedback",
        .issuer = config.issuer,
        .key_kinds = {{"secret", "fbk_", core::Access::key}},
        .events = events::all,
        .tenant_headers = true,
        .requests = {.of_user = 600}};
}

} // namespace

App::App(Config const& config, service::Runtime const& runtime)
    : ServiceBase(service_options(config), runtime),
      store_(blobs::make_store(
          config.blobs, {keyring_, internal_, runtime.clock, runtime.logger, runtime.metrics})),
      attachments_(db_, *store_, runtime.clock, config.blobs.attachments()), batchers_(db_),
      deps_{db_, batchers_, keys_, tenants_, users_, attachments_, webhooks_, runtime.clock}
{
    add_erasure([this](core::Scope const& scope) { attachments_.erase_scope(scope); });
    add_worker({.queue = blobs::expire_queue, .threads = 1}, blobs::expire_handler(attachments_));
    add_worker({.queue = blobs::settle_queue, .threads = 1}, blobs::settle_handler(attachments_));
    handle_user_data();
    serve(http::bind<Deps>(routes, deps_));
}

void App::handle_user_data()
{
    users_.allow_anonymizing();
    users_.add_step(user_rows::erase_threads);
    users_.add_step(user_rows::erase_replies);
    users_.add_step(user_rows::erase_attachments);
    users_.add_step(user_rows::erase_assignments);
    users_.add_step(user_rows::erase_status_changes);
    users_.add_part(user_export::list_threads);
    users_.add_part(user_export::list_replies);
    users_.add_part(user_export::list_attachments);
}

std::vector<pg::Component const*> App::components()
{
    return ServiceBase::components({&blobs::migrations(), &migrations()});
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
        .commands = {service::reencrypt_command({outbound_webhooks::reencrypt})},
    };
}

} // namespace feedback
