#pragma once

#include "core/scope.hpp"
#include "domain/session.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <span>
#include <vector>

/// The table `sessions`.
namespace auth_mfa::sessions {

struct NewSession {
    core::ScopeId scope_id{};
    core::Uuid id;
    UserId user_id;
    std::int64_t credentials_version = 0; ///< the user's version when the credentials were proved
    std::vector<std::string> amr;
    core::Time now;
    std::string user_agent;
    std::string address;
};

enum class Opened : std::uint8_t {
    yes,
    credentials_changed, ///< the user's password or factors changed during the sign-in
};

/// Opens sessions of many scopes in one statement. The statement locks the users, so a sign-in and a
/// concurrent change of credentials run one after the other. Sessions of one user are committed in the order
/// of their creation times, so no list cursor can skip a session.
pg::Batch<Opened> insert_batch(pg::BatchConnection& connection, std::span<NewSession const> rows);

/// A presented refresh token.
struct Rotation {
    core::ScopeId scope_id{};
    core::Uuid session_id;
    std::int64_t generation = 0;
    core::Time now;
};

/// The contents of the next tokens. `generation` is the number of the refresh token to return.
struct TokenContents {
    core::Uuid session_id;
    std::int64_t generation = 0;
    std::vector<std::string> amr;
    UserId user_id;
    std::string email;
    Role role = Role::user;
};

/// Advances each session to its next generation if the presented generation is the current one; nullopt
/// otherwise. If two requests present the same token, only one succeeds.
pg::Batch<std::optional<TokenContents>> rotate_batch(
    pg::BatchConnection& connection, std::span<Rotation const> rows);

struct Locked {
    Session session;
    core::Time database_now; ///< the time of the transaction, by the database's clock
};

/// The session, ended or not, locked until the transaction ends; nullopt if there is none.
std::optional<Locked> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The contents of the next tokens of this session, which must exist.
TokenContents token_contents(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// Ends the session if it has not ended.
void end(pg::Tx& tx, core::Scope const& scope, core::Uuid id, core::Time now);

/// Ends a session of this user; false when the user has no such live session.
bool end_own(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Uuid id, core::Time now);

/// Ends every session of the user except `keep`.
void end_others(pg::Tx& tx, core::Scope const& scope, UserId user_id, std::optional<core::Uuid> const& keep,
    core::Time now);

/// The user's sessions that are live at `now`, newest first, starting after `after`.
std::vector<Session> list(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Time now,
    std::optional<paging::Position> const& after, std::size_t limit);

/// Deletes at most `limit` sessions of `scopes` that ended or expired before `before`. Returns the number of
/// deleted sessions.
std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit);

} // namespace auth_mfa::sessions
