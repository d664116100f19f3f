#pragma once

#include "core/scope.hpp"
#include "domain/broadcast.hpp"
#include "domain/email_domain.hpp"
#include "domain/notification.hpp"
#include "pg/tx.hpp"

#include <array>
#include <span>
#include <string_view>

/// Publishes the events that a scope's webhooks receive. An event is published in the transaction that makes
/// the change, and belongs to the trace of the request that created the notification or broadcast. The
/// functions may take the scope's lock, so call them after all statements that lock rows of other tables (see
/// devices::prune).
namespace notify::webhook_events {

inline constexpr std::array<std::string_view, 6> all{"notification.sent", "notification.delivered",
    "notification.opened", "notification.failed", "broadcast.completed", "domain.failing"};

/// Publishes `notification.<status>`; does nothing if the status is `queued`. The data is the notification as
/// `GET /v1/notifications/{id}` returns it, but without `deliveries`. `now` is the service's time, but
/// `deliveredAt` and `openedAt` in the data may be times that the device stated.
void publish(pg::Tx& tx, core::ScopeId scope_id, Notification const& n, core::Time now);

/// A notification whose status has changed.
struct Changed {
    core::ScopeId scope_id{};
    Notification const& notification;
};

/// As the other `publish`, for many notifications of any scopes, in a constant number of statements.
void publish(pg::Tx& tx, std::span<Changed const> changes, core::Time now);

/// Publishes `broadcast.completed`. The data is the broadcast as `GET /v1/notifications/broadcasts` lists it.
void publish(pg::Tx& tx, core::ScopeId scope_id, Broadcast const& b, core::Time now);

/// Publishes `domain.failing`. The data is the domain as `GET /v1/domains/status` returns it. `records`: the
/// DNS records that the domain needs.
void publish(
    pg::Tx& tx, core::ScopeId scope_id, EmailDomain const& domain, DnsRecords const& records, core::Time now);

} // namespace notify::webhook_events
