#include "api/platforms.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "pg/database.hpp"
#include "storage/carrier_configs.hpp"

namespace notify {

namespace {

namespace json = boost::json;
using carrier_configs::CarrierConfig;

[[noreturn]] void platform_not_found()
{
    throw core::Error(core::codes::not_found,
        "No credentials are stored for this platform. Store them with PUT /v1/platforms/{kind}, where `kind` "
        "is `fcm` or `apns`.");
}

/// The carrier in the path. Throws NOT_FOUND for an unknown carrier, as for a carrier without credentials.
Carrier carrier_in(http::Request const& req)
{
    auto const carrier = core::parse_enum<Carrier>(req.param("kind"));
    if (!carrier) platform_not_found();
    return *carrier;
}

/// The public members of a credential. FCM has no environments, so for FCM the member `environment` is the
/// scope's environment.
json::object to_object(CarrierConfig const& c, core::Scope const& scope)
{
    if (c.carrier == Carrier::fcm)
        return {{"environment", core::to_string(scope.environment())}, {"projectId", c.shown.project_id}};
    return {{"environment", c.shown.environment}, {"keyId", c.shown.key_id}, {"teamId", c.shown.team_id},
        {"bundleId", c.shown.bundle_id}};
}

void write(core::JsonWriter& w, CarrierConfig const& c, core::Scope const& scope, core::Time now)
{
    w.begin_object().member("kind", to_string(c.carrier));
    for (auto const& member : to_object(c, scope))
        w.member(std::string_view(member.key()), std::string_view(member.value().get_string()));
    bool const paused = c.paused_until && *c.paused_until > now;
    w.member("updatedAt", c.updated_at)
        .member("pausedUntil", paused ? c.paused_until : std::nullopt)
        .member("pausedReason", paused ? c.paused_reason : std::nullopt)
        .member("pruningStoppedAt", c.pruning_stopped_at)
        .end_object();
}

std::optional<CarrierConfig> find(pg::Tx& tx, core::Scope const& scope, Carrier carrier)
{
    for (auto& config : carrier_configs::list(tx, scope))
        if (config.carrier == carrier) return std::move(config);
    return std::nullopt;
}

/// Adds an audit entry. Must be the last call in a transaction; audit::record explains why.
void record(pg::Tx& tx, http::Request const& req, std::string_view action, Carrier carrier,
    std::optional<CarrierConfig> const& before, std::optional<CarrierConfig> const& after)
{
    auto const shown = [&](std::optional<CarrierConfig> const& c) {
        return c ? std::optional<json::value>(to_object(*c, req.scope())) : std::nullopt;
    };
    audit::record(tx, req.context,
        {.action = std::string(action),
            .subject_type = "platform",
            .subject_id = std::string(to_string(carrier)),
            .before = shown(before),
            .after = shown(after)});
}

} // namespace

asio::awaitable<http::Response> put_platform(http::Request const& req, Deps& deps)
{
    Carrier const carrier = carrier_in(req);
    Credential::Ptr const credential = Credential::parse(carrier, req.json());
    core::Time const now = deps.clock.now();
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto const before = find(tx, req.scope(), carrier);
        carrier_configs::put(tx, req.scope(), *credential, deps.keyring);
        carrier_configs::end_pause(tx, req.scope().id, carrier);
        auto const after = find(tx, req.scope(), carrier);
        record(tx, req, "platform.updated", carrier, before, after);
        core::JsonWriter w;
        write(w, after.value(), req.scope(), now);
        return http::Response::ok(std::move(w).str());
    });
}

asio::awaitable<http::Response> list_platforms(http::Request const& req, Deps& deps)
{
    auto const rows = co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return carrier_configs::list(tx, req.scope()); });
    core::JsonWriter w;
    w.begin_object().key("platforms").begin_array();
    for (auto const& config : rows)
        write(w, config, req.scope(), deps.clock.now());
    w.end_array().end_object();
    co_return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> delete_platform(http::Request const& req, Deps& deps)
{
    Carrier const carrier = carrier_in(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto const removed = carrier_configs::remove(tx, req.scope(), carrier);
        if (!removed) platform_not_found();
        carrier_configs::end_pause(tx, req.scope().id, carrier);
        record(tx, req, "platform.deleted", carrier, removed, std::nullopt);
        return http::Response::deleted();
    });
}

} // namespace notify
