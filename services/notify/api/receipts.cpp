#include "api/receipts.hpp"

#include "api/json.hpp"
#include "api/notifications.hpp"
#include "core/fields.hpp"
#include "domain/retry.hpp"
#include "pg/database.hpp"
#include "storage/notification_status.hpp"
#include "storage/push_deliveries.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace notify {

namespace {

constexpr std::size_t max_acks = 100;

/// One item of an acknowledgement.
struct Ack {
    std::string id; ///< as in the request
    std::optional<core::Uuid> notification_id;
    std::optional<std::string> context; ///< the app's own note
    std::optional<core::Time> at;
};

Ack parse_ack(core::Fields& all, boost::json::value const& item, std::size_t index)
{
    core::Fields f(item, "/notifications/" + std::to_string(index));
    Ack ack;
    ack.id = f.text("id", 1, 100);
    ack.notification_id = core::Uuid::parse(ack.id);
    ack.context = f.optional_text("context", 0, 200);
    ack.at = f.optional_time("timestamp");
    all.absorb(f);
    return ack;
}

std::vector<Ack> parse_acks(http::Request const& req)
{
    core::Fields f(req.json());
    std::vector<Ack> acks;
    if (auto const* items = f.optional_array("notifications", max_acks)) {
        for (auto const& item : *items)
            acks.push_back(parse_ack(f, item, acks.size()));
    }
    if (acks.empty() && f.ok()) f.fault("notifications", "required", "must have 1 to 100 items");
    f.check();
    return acks;
}

std::vector<core::Uuid> ids_of(std::vector<Ack> const& acks)
{
    std::set<core::Uuid> ids;
    for (auto const& ack : acks) {
        if (ack.notification_id) ids.insert(*ack.notification_id);
    }
    return {ids.begin(), ids.end()};
}

/// The delivery time that the device reports, or `now` if the device reports no time. A time before
/// `n.created_at` or after `now` is replaced by that limit.
core::Time delivered_at(Ack const& ack, Notification const& n, core::Time now)
{
    return std::min(std::max(ack.at.value_or(now), n.created_at), now);
}

/// Locks the notifications `ids`, and withdraws the jobs of queued notifications. Fails the pending
/// deliveries of queued pushes, because these pushes have already reached the user.
std::vector<Notification> stop_sending(
    pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids, core::Time now)
{
    auto found = notifications::withdraw_and_lock(tx, scope_id, ids);
    for (auto const& n : found) {
        if (n.status == Status::queued && n.channel == Channel::push)
            push_deliveries::fail_pending(tx, scope_id, n.id, failures::overtaken, now);
    }
    return found;
}

/// If several items name the same notification, the first item is used.
std::vector<notifications::StatusChange> changes_of(core::ScopeId scope_id, std::vector<Ack> const& acks,
    std::vector<Notification> const& found, core::Time now)
{
    std::vector<notifications::StatusChange> changes;
    for (auto const& n : found) {
        auto const ack = std::ranges::find(acks, std::optional(n.id), &Ack::notification_id);
        changes.push_back({scope_id, n, Status::delivered, ack->context, delivered_at(*ack, n, now)});
    }
    return changes;
}

std::string results(std::vector<Ack> const& acks, std::vector<Notification> const& found,
    std::vector<Notification> const& changed)
{
    std::map<core::Uuid, std::string_view> result;
    for (auto const& n : found)
        result[n.id] = "already";
    for (auto const& n : changed)
        result[n.id] = "delivered";
    core::JsonWriter w(64 + 80 * acks.size());
    w.begin_object().member("acknowledged", changed.size()).key("results").begin_array();
    for (auto const& ack : acks) {
        auto const it = ack.notification_id ? result.find(*ack.notification_id) : result.end();
        std::string_view const said =
            it == result.end() ? "unknown" : std::exchange(it->second, std::string_view("already"));
        w.begin_object().member("id", ack.id).member("result", said).end_object();
    }
    w.end_array().end_object();
    return std::move(w).str();
}

} // namespace

asio::awaitable<http::Response> ack_notifications(http::Request const& req, Deps& deps)
{
    auto const acks = parse_acks(req);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        core::ScopeId const scope_id = req.scope().id;
        core::Time const now = deps.clock.now();
        auto const found = stop_sending(tx, scope_id, ids_of(acks), now);
        auto const changed = notifications::change_statuses(tx, changes_of(scope_id, acks, found, now), now);
        return http::Response::ok(results(acks, found, changed));
    });
}

asio::awaitable<http::Response> open_notification(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        core::ScopeId const scope_id = req.scope().id;
        core::Uuid const id = req.uuid_param("notificationId");
        core::Time const now = deps.clock.now();
        auto found = stop_sending(tx, scope_id, {&id, 1}, now);
        if (found.empty()) notification_not_found();
        // An opened notification was delivered, even if no acknowledgement was received.
        for (Status const status : {Status::delivered, Status::opened})
            notifications::change_status(tx, scope_id, found.front(), status, std::nullopt, now);
        return http::Response::ok(to_json(*notifications::get(tx, req.scope(), id)));
    });
}

} // namespace notify
