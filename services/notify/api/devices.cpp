#include "api/devices.hpp"

#include "batchers.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "domain/errors.hpp"
#include "domain/json.hpp"
#include "http/query.hpp"
#include "idempotency/once.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/carrier_configs.hpp"
#include "storage/devices.hpp"
#include "storage/web_subscriptions.hpp"

namespace notify {

namespace {

/// Reads `subscription`. The token and the stored subscription follow from it.
void read_subscription(core::Fields& f, Deps& deps, devices::Registration& row)
{
    auto const subscription = read_web_subscription(f, deps.web_push_hosts);
    if (row.platform != DevicePlatform::web)
        f.fault("subscription", "not_allowed", "is allowed only for the platform `web`");
    if (f.has("token"))
        f.fault("token", "not_allowed",
            "must be absent if there is a subscription; the token is the SHA-256 of its endpoint");
    row.token = web_token(subscription.endpoint);
    if (f.ok()) row.sealed_subscription = web_subscriptions::seal(deps.keyring, row.scope_id, subscription);
}

void read_token(core::Fields& f, devices::Registration& row)
{
    row.token = f.text("token", 1, max_device_token);
    if (!row.token.empty() && !is_device_token(row.token))
        f.fault("token", "format", "must consist of visible ASCII characters, without spaces");
}

devices::Registration parse_registration(http::Request const& req, Deps& deps)
{
    core::Fields f(req.json());
    devices::Registration row{.scope_id = req.scope().id};
    row.user_id = core::UserId(f.text("userId", 1, max_user_id));
    if (!is_user_id(row.user_id.text()))
        f.fault("userId", "format", "must have a UUID after the prefix `anon:`");
    bool const has_subscription = f.has("subscription") && !f.is_null("subscription");
    if (!has_subscription) read_token(f, row);
    row.platform = f.one_of<DevicePlatform>("platform");
    if (has_subscription) read_subscription(f, deps, row);
    f.check();
    return row;
}

/// The key under which a browser has subscribed now. Throws PUSH_CHANNEL_DISABLED if the scope has none.
std::string web_key_of(pg::Tx& tx, core::Scope const& scope)
{
    auto key = carrier_configs::find_public_key(tx, scope);
    if (!key)
        throw core::Error(codes::push_channel_disabled,
            "Web Push is not set up. Make its keys with PUT /v1/platforms/webpush.");
    return *std::move(key);
}

/// The response to a registration. Throws NOT_FOUND if nothing was stored, because the account of the user
/// was deleted.
http::Response created(std::optional<Device> const& d)
{
    if (!d)
        throw core::Error(core::codes::not_found,
            "The account of this user was deleted. Register the device for another user.");
    core::JsonWriter w;
    write(w, *d);
    auto response = http::Response::created(std::move(w).str());
    response.about_user = d->user_id.text();
    return response;
}

} // namespace

void device_not_found()
{
    throw core::Error(core::codes::not_found,
        "No device of this environment has this token. Check the token and the environment.");
}

asio::awaitable<http::Response> register_device(http::Request const& req, Deps& deps)
{
    devices::Registration row = parse_registration(req, deps);
    auto const set_key = [&](pg::Tx& tx) {
        if (row.sealed_subscription) row.web_key = web_key_of(tx, req.scope());
    };
    if (!req.context.idempotency_key.empty()) {
        co_return co_await idempotency::once(deps.db, req, [&](pg::Tx& tx) {
            set_key(tx);
            return created(devices::register_one(tx, row));
        });
    }
    if (row.sealed_subscription) co_await deps.db.read(req.scope(), set_key);
    co_return created(co_await deps.batchers.register_device.run(row));
}

asio::awaitable<http::Response> list_devices(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    core::UserId const user_id(query.required_text("userId", 1, max_user_id));
    auto const asked = paging::PageRequest::read(
        query, paging::FilterHash().add("list", "devices").add("userId", user_id.text()).value());
    query.check();
    auto rows = co_await deps.db.read(req.scope(),
        [&](pg::Tx& tx) { return devices::list(tx, req.scope(), user_id, asked.after, asked.rows()); });
    co_return http::Response::ok(paging::to_json(asked.page(std::move(rows), devices::position_of),
        [](core::JsonWriter& w, Device const& d) { write(w, d); }));
}

asio::awaitable<http::Response> unregister_device(http::Request const& req, Deps& deps)
{
    bool const removed = co_await deps.batchers.remove_device.run({req.scope().id, req.param("token")});
    if (!removed) device_not_found();
    co_return http::Response::deleted();
}

} // namespace notify
