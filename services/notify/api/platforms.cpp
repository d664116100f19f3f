#include "api/platforms.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "storage/platform_state.hpp"
#include "storage/platforms.hpp"

#include <algorithm>

namespace notify {

namespace {

namespace json = boost::json;
using platforms::Platform;

[[noreturn]] void platform_not_found()
{
    throw core::Error(core::codes::not_found,
        "No credentials are stored for this platform. Store them with PUT /v1/platforms/{kind}, where `kind` "
        "is `fcm` or `apns`.");
}

/// The kind in the path. Throws NOT_FOUND for an unknown kind, as for a platform without credentials.
PlatformKind kind_of(http::Request const& req)
{
    auto const it = std::ranges::find(platform_kinds, req.param("kind"));
    if (it == platform_kinds.end()) platform_not_found();
    return static_cast<PlatformKind>(it - platform_kinds.begin());
}

/// The public members of a credential. FCM has no environments, so for FCM the member `environment` is the
/// scope's environment.
json::object to_object(Platform const& p, core::Scope const& scope)
{
    if (p.kind == PlatformKind::fcm)
        return {{"environment", core::to_string(scope.environment())}, {"projectId", p.shown.project_id}};
    return {{"environment", p.shown.environment}, {"keyId", p.shown.key_id}, {"teamId", p.shown.team_id},
        {"bundleId", p.shown.bundle_id}};
}

void write(core::JsonWriter& w, Platform const& p, core::Scope const& scope, core::Time now)
{
    w.begin_object().member("kind", to_string(p.kind));
    for (auto const& member : to_object(p, scope))
        w.member(std::string_view(member.key()), std::string_view(member.value().get_string()));
    bool const paused = p.paused_until && *p.paused_until > now;
    w.member("updatedAt", p.updated_at)
        .member("pausedUntil", paused ? p.paused_until : std::nullopt)
        .member("pausedReason", paused ? p.paused_reason : std::nullopt)
        .member("pruningStoppedAt", p.pruning_stopped_at)
        .end_object();
}

std::optional<Platform> find(pg::Tx& tx, core::Scope const& scope, PlatformKind kind)
{
    for (auto& platform : platforms::list(tx, scope))
        if (platform.kind == kind) return std::move(platform);
    return std::nullopt;
}

/// Adds an audit entry for a platform. Must be the last call in a transaction; audit::record explains why.
void record(pg::Tx& tx, http::Request const& req, std::string_view action, PlatformKind kind,
    std::optional<Platform> const& before, std::optional<Platform> const& after)
{
    auto const shown = [&](std::optional<Platform> const& p) {
        return p ? std::optional<json::value>(to_object(*p, req.scope())) : std::nullopt;
    };
    audit::record(tx, req.context,
        {.action = std::string(action),
            .subject_type = "platform",
            .subject_id = std::string(to_string(kind)),
            .before = shown(before),
            .after = shown(after)});
}

} // namespace

asio::awaitable<http::Response> put_platform(http::Request const& req, Deps& deps)
{
    PlatformKind const kind = kind_of(req);
    Credential::Ptr const credential = Credential::parse(kind, req.json());
    core::Time const now = deps.clock.now();
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto const before = find(tx, req.scope(), kind);
        platforms::put(tx, req.scope(), *credential, deps.keyring);
        platform_state::resume(tx, req.scope().id, kind);
        auto const after = find(tx, req.scope(), kind);
        record(tx, req, "platform.updated", kind, before, after);
        core::JsonWriter w;
        write(w, after.value(), req.scope(), now);
        return http::Response::ok(std::move(w).str());
    });
}

asio::awaitable<http::Response> list_platforms(http::Request const& req, Deps& deps)
{
    auto const rows =
        co_await deps.db.read(req.scope(), [&](pg::Tx& tx) { return platforms::list(tx, req.scope()); });
    core::JsonWriter w;
    w.begin_object().key("platforms").begin_array();
    for (auto const& platform : rows)
        write(w, platform, req.scope(), deps.clock.now());
    w.end_array().end_object();
    co_return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> delete_platform(http::Request const& req, Deps& deps)
{
    PlatformKind const kind = kind_of(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto const removed = platforms::remove(tx, req.scope(), kind);
        if (!removed) platform_not_found();
        platform_state::resume(tx, req.scope().id, kind);
        record(tx, req, "platform.deleted", kind, removed, std::nullopt);
        return http::Response::ok(R"({"deleted":true})");
    });
}

} // namespace notify
