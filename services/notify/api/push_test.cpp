#include "api/push_test.hpp"

#include "api/devices.hpp"
#include "api/rate_limit.hpp"
#include "api/settings.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "domain/errors.hpp"
#include "pg/database.hpp"
#include "providers/push_sender.hpp"
#include "storage/carrier_configs.hpp"
#include "storage/devices.hpp"
#include "storage/web_subscriptions.hpp"
#include "tenancy/settings.hpp"

namespace notify {

namespace {

/// How long the push may wait in the queue. After this wait, the carrier's response may take up to
/// PushOptions::response_timeout.
constexpr std::chrono::seconds send_timeout{10};

/// A device and its carrier's credential.
struct Destination {
    Device device;
    carrier_configs::Sealed config;
};

Destination find_destination(pg::Tx& tx, http::Request const& req)
{
    auto device = devices::find(tx, req.scope(), req.param("token"));
    if (!device) device_not_found();
    if (!push_enabled(tenancy::settings::read(tx, req.scope()).document))
        throw core::Error(
            codes::push_channel_disabled, "Push is disabled. Set `pushEnabled` to true in the settings.");
    auto const carrier = carrier_of(*device);
    auto const all = carrier_configs::load(tx, req.scope().id);
    auto const* const config = carrier_configs::find(all, carrier);
    if (config == nullptr)
        throw core::Error(codes::push_channel_disabled,
            "Pushes to this device need credentials for " + std::string(to_string(carrier)) +
                ", but none are stored. Store them with PUT /v1/platforms/{kind}.");
    return {*std::move(device), *config};
}

SharedPush make_push(http::Request const& req, core::Time now)
{
    return std::make_shared<RenderedPush const>(render_push(PushMessage{.id = core::Uuid::v7(),
        .title = "Test",
        .body = "This is a test of push notifications.",
        .created_at = now,
        .traceparent = req.context.traceparent,
        .scope = req.scope()}));
}

asio::awaitable<void> prune(http::Request const& req, Deps& deps, Device const& device)
{
    devices::Gone const gone{.device_id = device.id, .registered_at = device.updated_at};
    co_await deps.db.transact(
        req.scope(), [&](pg::Tx& tx) { devices::prune(tx, req.scope().id, {&gone, 1}); });
}

std::string_view result_of(Verdict verdict) noexcept
{
    if (verdict == Verdict::accepted) return "sent";
    return verdict == Verdict::gone ? "invalid" : "failed";
}

std::string to_json(std::string const& token, PushResult const& result)
{
    bool const sent = result.verdict == Verdict::accepted;
    core::JsonWriter w;
    w.begin_object()
        .member("token", token)
        .member("result", result_of(result.verdict))
        .member("reason", sent ? std::nullopt : std::optional(result.reason))
        .end_object();
    return std::move(w).str();
}

asio::awaitable<LimitedResponse> send_test(http::Request const& req, Deps& deps)
{
    Destination const destination =
        co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return find_destination(tx, req); });
    auto const& [device, config] = destination;
    auto credential = carrier_configs::open(deps.keyring, req.scope().id, config);
    PushTarget target{.device_id = device.id,
        .carrier = config.carrier,
        .token = device.token,
        .web = web_subscriptions::open(
            deps.keyring, req.scope().id, device.token, {device.sealed_subscription, device.web_key})};
    PushResult const result = co_await deps.push.send_one(
        std::move(credential), make_push(req, deps.clock.now()), std::move(target), send_timeout);
    if (result.is_gone(device.updated_at)) co_await prune(req, deps, device);
    co_return LimitedResponse{http::Response::ok(to_json(device.token, result))};
}

} // namespace

asio::awaitable<http::Response> test_device(http::Request const& req, Deps& deps)
{
    co_return co_await within_limit(req, deps, test_limit, send_test(req, deps));
}

} // namespace notify
