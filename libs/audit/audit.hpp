#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "http/message.hpp"
#include "pg/migrate.hpp"
#include "pg/tx.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pg {
class Database;
}

/// The audit log: who changed what, per scope. An entry is written in the transaction of the change and is
/// altered only by the erasure of a user.
namespace audit {

namespace asio = boost::asio;

/// Table `audit_log`. The service's role may insert and select only.
pg::Component const& migrations();

/// One change. The caller must ensure that no member contains a secret, a code or a full phone number,
/// because an entry cannot be removed.
struct Entry {
    /// The type of the object and the event, such as `key.created` or `settings.updated`. 1..100 characters.
    std::string action;
    /// `key`, `settings`, ...; 1..100 characters. `user` and `member` are the types of users: `subject_id` is
    /// the user's id, which an erasure replaces.
    std::string subject_type;
    std::string subject_id;                   ///< empty if the scope has only one object of this type
    std::optional<boost::json::value> before; ///< the object before the change
    std::optional<boost::json::value> after;  ///< the object after the change
};

/// Returns the entry for an object that was created, updated or deleted. The action is `<type>.created`,
/// `<type>.updated` or `<type>.deleted`. `before` and `after` are the object as JSON.
Entry created(std::string_view type, core::Uuid const& id, boost::json::value after);
Entry updated(
    std::string_view type, core::Uuid const& id, boost::json::value before, boost::json::value after);
Entry deleted(std::string_view type, core::Uuid const& id, boost::json::value before);

/// The actor of a change that a background worker or an OAuth client made.
struct Actor {
    std::string id; ///< `system:<worker>` or `client:<client id>`
    std::string role = "system";
    std::string request_id;
};

/// Writes an entry for the request's scope and caller, in the transaction of the change. Holds the scope's
/// audit lock until the transaction ends, so entries are in commit order. Call `record` last, after all
/// statements that lock rows, so that two transactions cannot deadlock.
void record(pg::Tx& tx, http::Context const& context, Entry const& entry);

/// As `record`, for several changes of one request, in one statement. The entries are in the given order.
void record_all(pg::Tx& tx, http::Context const& context, std::span<Entry const> entries);

/// As `record` for a request, but for a change that a background worker made. The transaction must see the
/// scope.
void record(pg::Tx& tx, core::Scope const& scope, Actor const& actor, Entry const& entry);

/// Erases a user from at most `limit` entries of the scope. Where the user is the actor or the subject (type
/// `user` or `member`), `pseudonym` replaces the user's id, and the request id is removed. The entries about
/// the user, and about the user's objects `subject_ids`, lose `before` and `after`. Entries of API keys, of
/// workers and of the master key stay, even if the user's id is equal to theirs. Returns the number of
/// changed entries. 0: no such entry is left.
std::size_t erase_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    std::string_view pseudonym, std::vector<std::string> const& subject_ids, std::size_t limit);

/// Handles `GET /v1/audit[?action=][&actor=][&limit=][&cursor=]`. Returns `{items, cursor}` with the newest
/// entry first. Each item is `{auditId, createdAt, actor, actorRole, action, subjectType, subjectId, before,
/// after, requestId}`.
asio::awaitable<http::Response> list_audit(http::Request const& request, pg::Database& database);

} // namespace audit
