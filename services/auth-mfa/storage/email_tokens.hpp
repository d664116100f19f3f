#pragma once

#include "domain/email_token.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// The table `email_tokens`: tokens that were sent by email and are not used yet.
namespace auth_mfa::email_tokens {

/// Stores the token, valid until `expires_at`. The database sets `created_at`. If it is stored already, only
/// the end of its validity changes.
void put(pg::Tx& tx, core::Scope const& scope, EmailToken const& token, core::Time expires_at);

/// The token with this hash, if it is valid at `now` and has this purpose. Does not use it up.
std::optional<EmailToken> find(
    pg::Tx& tx, core::Scope const& scope, std::string_view hash, TokenPurpose purpose, core::Time now);

/// Whether the token with this hash is stored, valid or expired.
bool exists(pg::Tx& tx, core::Scope const& scope, std::string_view hash);

/// How long an expired token is kept. It is longer than attempts to send its email continue, because a
/// missing token means that it was used or withdrawn.
inline constexpr std::chrono::days kept_after_end{7};

/// Uses the token up. False if another request already did. Lock the user first, so that the requests with
/// tokens of one user run one after the other.
bool use(pg::Tx& tx, core::Scope const& scope, EmailToken const& token);

/// Deletes the user's tokens with one of these purposes.
void remove(pg::Tx& tx, core::Scope const& scope, UserId user_id, std::span<TokenPurpose const> purposes);

/// Deletes the user's tokens of every purpose that were created at `since` or later.
void remove_since(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Time since);

/// A stored token, valid or expired, as an export shows it.
struct Stored {
    EmailToken token;
    core::Time expires_at;
};

/// The user's tokens in the order of their hashes, starting after the hash `after`.
std::vector<Stored> list(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::string_view after, std::size_t limit);

/// Deletes at most `limit` rows of `scopes` that expired before `before`. Returns the number of deleted rows.
std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit);

} // namespace auth_mfa::email_tokens
