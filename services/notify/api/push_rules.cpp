#include "api/push_rules.hpp"

#include "api/settings.hpp"
#include "domain/errors.hpp"
#include "tenancy/directory.hpp"

namespace notify {

void require_push_size(PushMessage const& message)
{
    auto const push = render_push(message);
    if (!push.fcm_fits && !push.apns_fits && !push.web_fits)
        throw core::Error::validation({{"", "too_long",
            "title, body, data and options of a push must be at most " + std::to_string(max_push_bytes) +
                " bytes in total"}});
}

asio::awaitable<void> require_push_enabled(http::Request const& req, Deps& deps, bool has_carrier)
{
    auto const tenant = co_await deps.directory.find(req.scope().slug);
    bool const enabled = tenant && push_enabled(tenant->settings(req.scope().environment()).document);
    if (!has_carrier || !enabled)
        throw core::Error(codes::push_channel_disabled,
            "Push is not available. Store push credentials with PUT /v1/platforms/{kind}, and set "
            "`pushEnabled` to true in the settings.");
}

} // namespace notify
