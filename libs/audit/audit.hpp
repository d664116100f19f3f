#pragma once

#include "core/id.hpp"
#include "core/identity.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"
#include "pg/migrate.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

/// Who changed what, per scope, written with the change and never altered.
namespace audit {

namespace asio = boost::asio;

/// Table `audit_log`, to which a service may add and in which it may read.
pg::Component const& migrations();

/// What was done. No member may hold a secret, a code or a full phone number: that is the caller's to see to,
/// and an entry cannot be taken back.
struct Entry {
    std::string action; ///< `key.created`, `settings.updated`: what it is about, then what happened; 1..100
                        ///< characters
    std::string subject_type;                 ///< `key`, `settings`, `member`, ...; 1..100 characters
    std::string subject_id;                   ///< empty when there is only one
    std::optional<boost::json::value> before; ///< what changed, as it was
    std::optional<boost::json::value> after;  ///< and as it is now
};

/// What is written of an object that was created, changed or deleted: the action `<type>.created`,
/// `<type>.updated` or `<type>.deleted`, and what is shown of the object before and after it.
Entry created(std::string_view type, core::Uuid const& id, boost::json::value after);
Entry updated(
    std::string_view type, core::Uuid const& id, boost::json::value before, boost::json::value after);
Entry deleted(std::string_view type, core::Uuid const& id, boost::json::value before);

/// Whose doing it was, where there is no request.
struct Actor {
    std::string id; ///< `system:<worker>`
    std::string role = "system";
    std::string request_id;
};

/// Writes an entry for the request's scope and caller in the transaction of the change. It holds the scope's
/// audit lock until the transaction ends, which makes the order of entries the order of commits: call it
/// last, after everything that locks rows, so that no two transactions wait for each other.
void record(pg::Tx& tx, http::Context const& context, Entry const& entry);

/// The same for work no request asked for. The transaction sees the scope.
void record(pg::Tx& tx, core::Scope const& scope, Actor const& actor, Entry const& entry);

/// `GET /v1/audit[?action=][&actor=][&limit=][&cursor=]`: `{items, cursor}`, newest first, each
/// `{auditId, createdAt, actor, actorRole, action, subjectType, subjectId, before, after, requestId}`.
asio::awaitable<http::Response> list_audit(http::Request const& request, pg::Database& database);

} // namespace audit
