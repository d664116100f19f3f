#pragma once

#include "core/scope.hpp"
#include "crypto/hash.hpp"
#include "domain/user_id.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"
#include "storage/sessions.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `authorization_codes`.
namespace auth_mfa::authorization_codes {

inline constexpr std::chrono::seconds lifetime{60};
/// How long codes are kept after they expired, so that a code that is presented again ends its session.
inline constexpr std::chrono::hours kept_after_expiry{24};

/// A code that the user's browser gets for a client.
struct NewCode {
    core::ScopeId scope_id{};
    crypto::Digest hash{}; ///< SHA-256 of the code
    core::Uuid session_id; ///< of the session that the client gets for the code
    core::Uuid parent_id;  ///< the session of the browser
    UserId user_id;
    std::string client_id;
    std::string redirect_uri;
    std::string scope;
    std::string nonce;          ///< empty: none
    std::string code_challenge; ///< S256; empty: none
    core::Time now;
};

/// Stores the codes of many callers in one statement; for a Batcher. False if the browser's session has
/// ended.
pg::Batch<bool> insert_batch(pg::BatchConnection& connection, std::span<NewCode const> rows);

/// A presented code.
struct Redemption {
    core::ScopeId scope_id{};
    crypto::Digest hash{};
    std::string client_id; ///< the client that presents it
    std::string redirect_uri;
    std::string code_challenge; ///< S256 of the presented verifier; empty: none was presented
    core::Time now;
    bool verified_only = false; ///< whether the user's email must be verified
    std::string user_agent;     ///< of the client
    std::string address;
    std::string request_id; ///< for the audit log
};

/// The result for a code that was redeemed.
struct Redeemed {
    sessions::TokenContents session;
    std::string nonce; ///< empty: none
};

/// Redeems the codes of many callers in one statement, which also writes their audit entries; for a Batcher.
/// A code that is unused, not expired and of the presenting client counts as used from now on, also if
/// something else does not match: the redirect URI, the challenge, the browser's session (ended), or the user
/// (disabled, or not verified). nullopt unless all match. A session of a scope without `offline_access`
/// expires with its access token.
///
/// The statement locks the users and the browsers' sessions. So the end of a browser's session also ends the
/// sessions that clients got in it at the same moment.
pg::Batch<std::optional<Redeemed>> redeem_batch(
    pg::BatchConnection& connection, std::span<Redemption const> rows);

/// The session of a used code of this client; nullopt if the client has no used code with this hash. There is
/// no such session if the code was refused.
std::optional<core::Uuid> session_of_used(
    pg::Tx& tx, core::Scope const& scope, crypto::Digest const& hash, std::string const& client_id);

/// Deletes at most `limit` codes of `scopes` that expired before `before`. Returns the number of deleted
/// codes.
std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit);

} // namespace auth_mfa::authorization_codes
