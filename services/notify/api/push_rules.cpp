#include "api/push_rules.hpp"

#include "api/settings.hpp"
#include "domain/errors.hpp"

namespace notify {

void require_fitting(PushMessage const& message)
{
    auto const push = render_push(message);
    if (!push.fcm_fits && !push.apns_fits)
        throw core::Error::validation({{"", "too_long",
            "title, body and data of a push come to " + std::to_string(max_push_bytes) + " bytes at most"}});
}

asio::awaitable<void> require_push(http::Request const& req, Deps& deps, bool has_platform)
{
    auto const tenant = co_await deps.directory.find(req.scope().slug);
    bool const enabled = tenant && push_enabled(tenant->settings(req.scope().environment()).document);
    if (!has_platform || !enabled)
        throw core::Error(codes::push_channel_disabled,
            "No push credentials are stored for this environment, or push is switched off in its settings.");
}

} // namespace notify
