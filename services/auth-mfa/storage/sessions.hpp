#pragma once

#include "domain/session.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <optional>
#include <span>
#include <vector>

/// The table `sessions`.
namespace auth_mfa::sessions {

struct NewSession {
    std::int64_t scope_id = 0;
    core::Uuid id;
    core::Uuid user_id;
    std::int64_t credentials_version = 0; ///< the user's, as it was when they proved who they are
    std::vector<std::string> amr;
    core::Time now;
    std::string user_agent;
    std::string address;
};

enum class Opened : std::uint8_t {
    yes,
    credentials_changed, ///< what the user proved is no longer what signs in
};

/// Opens sessions, of many scopes in one statement, those of a user in their commit order, so that none can
/// appear behind a cursor. A change of the user's credentials waits for it, or it for that.
pg::Batch<Opened> insert_batch(pg::Session& session, std::span<NewSession const> rows);

/// A refresh token that is presented.
struct Rotation {
    std::int64_t scope_id = 0;
    core::Uuid session_id;
    std::int64_t generation = 0;
    core::Time now;
};

/// What the next access token says; `generation` is the refresh token that works now.
struct Rotated {
    core::Uuid session_id;
    std::int64_t generation = 0;
    std::vector<std::string> amr;
    core::Uuid user_id;
    std::string email;
    Role role = Role::user;
};

/// Moves each session on to its next generation if the one presented is its current one; nullopt otherwise,
/// also for the second of two that present the same.
pg::Batch<std::optional<Rotated>> rotate_batch(pg::Session& session, std::span<Rotation const> rows);

struct Locked {
    Session session;
    core::Time database_now; ///< the time of the transaction, by the database's clock
};

/// The session, ended or not, locked until the transaction ends.
std::optional<Locked> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// What an access token of this session, which exists, says now.
Rotated describe(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// Ends the session if it lives.
void end(pg::Tx& tx, core::Scope const& scope, core::Uuid id, core::Time now);

/// The same; false when it does not live, or is not this user's.
bool end_own(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, core::Uuid id, core::Time now);

/// Ends every session of the user but `keep`; answers how many.
std::size_t end_others(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id,
    std::optional<core::Uuid> const& keep, core::Time now);

/// The sessions that live at `now`, newest first, those after `after`.
std::vector<Session> list(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, core::Time now,
    std::optional<paging::Position> const& after, std::size_t limit);

/// Deletes at most `limit` sessions of `scopes` that ended or expired before `before`; answers how many.
std::size_t purge(pg::Tx& tx, std::vector<std::int64_t> const& scopes, core::Time before, std::size_t limit);

} // namespace auth_mfa::sessions
