#include "api/platforms.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "pg/database.hpp"
#include "storage/carrier_configs.hpp"
#include "storage/web_subscriptions.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace notify {

namespace {

namespace json = boost::json;
using carrier_configs::CarrierConfig;

[[noreturn]] void platform_not_found()
{
    throw core::Error(core::codes::not_found,
        "No credentials are stored for this platform. Store them with PUT /v1/platforms/{kind}, where `kind` "
        "is `fcm`, `apns` or `webpush`.");
}

/// The carrier in the path. Throws NOT_FOUND for an unknown carrier, as for a carrier without credentials.
Carrier carrier_in(http::Request const& req)
{
    auto const carrier = core::parse_enum<Carrier>(req.param("kind"));
    if (!carrier) platform_not_found();
    return *carrier;
}

/// The public members of a credential. Only APNs has environments, so for the other carriers the member
/// `environment` is the scope's environment.
json::object to_object(CarrierConfig const& c, core::Scope const& scope)
{
    auto const& shown = c.shown;
    auto const environment = core::to_string(scope.environment());
    switch (c.carrier) {
    case Carrier::fcm:
        return {{"environment", environment}, {"projectId", shown.project_id}};
    case Carrier::webpush:
        return {{"environment", environment}, {"subject", shown.subject.value_or("")},
            {"publicKey", shown.public_key.value_or("")}};
    case Carrier::apns:
        break;
    }
    return {{"environment", shown.environment}, {"keyId", shown.key_id}, {"teamId", shown.team_id},
        {"bundleId", shown.bundle_id}};
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

/// Stores a credential. `before` is the configuration that it replaces. Must be the last call in a
/// transaction.
http::Response store(pg::Tx& tx, http::Request const& req, Deps& deps, Credential const& credential,
    std::optional<CarrierConfig> const& before)
{
    carrier_configs::put(tx, req.scope(), credential, deps.keyring);
    carrier_configs::end_pause(tx, req.scope().id, credential.carrier());
    auto const after = find(tx, req.scope(), credential.carrier());
    record(tx, req, "platform.updated", credential.carrier(), before, after);
    core::JsonWriter w;
    write(w, after.value(), req.scope(), deps.clock.now());
    return http::Response::ok(std::move(w).str());
}

/// If there are too many keys, removes the earlier keys under which no device has registered. Throws CONFLICT
/// if there are still too many.
void limit_keys(pg::Tx& tx, core::Scope const& scope, VapidKeys& vapid)
{
    auto& keys = vapid.keys;
    if (keys.size() <= VapidKeys::max_keys) return;
    auto const used = web_subscriptions::used_keys(tx, scope);
    auto const is_unused = [&](VapidKey const& key) { return !used.contains(key.public_key); };
    keys.erase(std::remove_if(std::next(keys.begin()), keys.end(), is_unused), keys.end());
    if (keys.size() > VapidKeys::max_keys)
        throw core::Error(core::codes::conflict,
            "Cannot make a new key: devices use all " + std::to_string(VapidKeys::max_keys) +
                " earlier keys of this environment. Remove devices that are no longer used.");
}

asio::awaitable<http::Response> put_web_push(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto const earlier = carrier_configs::lock_vapid(tx, req.scope(), deps.keyring);
        auto keys = Credential::parse_vapid(req.json(), earlier ? &earlier->vapid() : nullptr);
        limit_keys(tx, req.scope(), keys);
        auto const before = earlier ? find(tx, req.scope(), Carrier::webpush) : std::nullopt;
        return store(tx, req, deps, *Credential::make(std::move(keys)), before);
    });
}

} // namespace

asio::awaitable<http::Response> put_platform(http::Request const& req, Deps& deps)
{
    Carrier const carrier = carrier_in(req);
    if (carrier == Carrier::webpush) co_return co_await put_web_push(req, deps);
    Credential::Ptr const credential = Credential::parse(carrier, req.json());
    co_return co_await deps.db.transact(req.scope(),
        [&](pg::Tx& tx) { return store(tx, req, deps, *credential, find(tx, req.scope(), carrier)); });
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

asio::awaitable<http::Response> get_web_push_key(http::Request const& req, Deps& deps)
{
    auto const key = co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return carrier_configs::find_public_key(tx, req.scope()); });
    if (!key) platform_not_found();
    core::JsonWriter w;
    w.begin_object().member("publicKey", *key).end_object();
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
