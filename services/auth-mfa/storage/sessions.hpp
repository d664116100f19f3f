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
    bool aal2 = false; ///< whether a second factor was used
    /// For a sign-in with an id token: IdentityProvider::key.
    std::optional<std::string> identity_provider;
    core::Time now;
    std::string user_agent;
    std::string address;
    std::string request_id;          ///< for the audit log
    bool report_new_browser = false; ///< whether the user gets an email if the browser is unknown
};

enum class Opened : std::uint8_t {
    yes,
    credentials_changed, ///< the user's password, factors or status changed during the sign-in
    /// Not opened: the sign-in also has to announce the session to a webhook, or to report an unknown browser
    /// by email. Call `insert` in a transaction that does so.
    not_plain,
};

/// Opens sessions of many scopes in one statement, which also writes their activity and audit entries. Skips
/// sessions that are not plain (Opened::not_plain). The statement locks the users, so a sign-in and a
/// concurrent change of credentials run one after the other. Sessions of one user are committed in the order
/// of their creation times, so no list cursor can skip a session.
pg::Batch<Opened> insert_batch(pg::BatchConnection& connection, std::span<NewSession const> rows);

/// The result of `insert`.
struct Inserted {
    bool opened = false;      ///< false if the user's password, factors or status changed during the sign-in
    bool new_browser = false; ///< whether the unknown browser must be reported
};

/// Opens one session, without activity and audit entries. The user must be locked.
Inserted insert(pg::Tx& tx, NewSession const& row);

/// A presented refresh token.
struct Rotation {
    core::ScopeId scope_id{};
    core::Uuid session_id;
    std::int64_t generation = 0;
    core::Time now;
    bool verified_only = false; ///< whether the user's email must be verified
    std::string client_id{};    ///< the client that presents the token; empty: none
};

/// The contents of the next tokens. `generation` is the number of the refresh token to return.
struct TokenContents {
    core::Uuid session_id;
    std::int64_t generation = 0;
    std::vector<std::string> amr;
    Assurance assurance;
    std::optional<std::string> identity_provider; ///< as NewSession's
    core::Time expires_at;
    std::string client_id; ///< the OAuth client whose session it is; empty: none
    std::string scope;     ///< of that client's tokens, separated by spaces
    UserId user_id;
    std::string email;
    bool email_verified = false;
    Role role = Role::user;
    core::Time user_updated_at;
};

/// Advances each session to its next generation if the presented generation is the current one, and the
/// session is of the presenting client; nullopt otherwise. If two requests present the same token, only one
/// succeeds.
pg::Batch<std::optional<TokenContents>> rotate_batch(
    pg::BatchConnection& connection, std::span<Rotation const> rows);

struct Locked {
    Session session;
    core::Time database_now; ///< the time of the transaction, by the database's clock
};

/// The session, ended or not, locked until the transaction ends; nullopt if there is none, or the user was
/// deleted.
std::optional<Locked> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The contents of the next tokens of this session, which must exist.
TokenContents token_contents(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// As token_contents; nullopt if there is no such session, or it has ended.
std::optional<TokenContents> find_live(pg::Tx& tx, core::Scope const& scope, core::Uuid id, core::Time now);

/// Records that the user proved who they are again at `now`: sets `authenticated_at`, sets `aal2` if a second
/// factor was used, and adds the methods `amr`. Returns the contents of the session's next access token;
/// nullopt if the session has ended.
std::optional<TokenContents> reauthenticate(pg::Tx& tx, core::Scope const& scope, core::Uuid id,
    std::vector<std::string> const& amr, bool aal2, core::Time now);

/// The session of the browser in which the client got this session; nullopt if the client has no such
/// session.
std::optional<core::Uuid> parent_of(
    pg::Tx& tx, core::Scope const& scope, std::string_view client_id, core::Uuid id);

// The functions below end sessions. Clients with a backchannelLogoutUri are told after the commit
// (logout_notices.hpp). The sessions are locked in the order of their ids.

/// Ends every session that was opened with an id token of one of these providers (IdentityProvider::key).
void end_of_providers(
    pg::Tx& tx, core::Scope const& scope, std::vector<std::string> const& identity_providers, core::Time now);

/// Ends the user's sessions that were opened with an id token of this issuer.
void end_of_issuer(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::string_view issuer, core::Time now);

/// Ends every session of the OAuth client.
void end_of_client(pg::Tx& tx, core::Scope const& scope, std::string_view client_id, core::Time now);

/// Ends the session, and the sessions that clients got in it and cannot refresh, if they have not ended.
void end(pg::Tx& tx, core::Scope const& scope, core::Uuid id, core::Time now);

/// As `end`, for a session of this user; false when the user has no such live session.
bool end_own(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Uuid id, core::Time now);

/// Ends every session of the user except `keep` and the sessions of the same browser: the one in which it was
/// authorized, if it is a client's, and those that clients got there and cannot refresh.
void end_others(pg::Tx& tx, core::Scope const& scope, UserId user_id, std::optional<core::Uuid> const& keep,
    core::Time now);

/// The user's sessions that are live at `live_at`, newest first, starting after `after`, without those of
/// clients that cannot refresh them. nullopt: all that are stored, also those that have ended.
std::vector<Session> list(pg::Tx& tx, core::Scope const& scope, UserId user_id,
    std::optional<core::Time> live_at, std::optional<paging::Position> const& after, std::size_t limit);

/// Deletes at most `limit` sessions of `scopes` that ended or expired before `before`. Returns the number of
/// deleted sessions.
std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit);

} // namespace auth_mfa::sessions
