#pragma once

#include "domain/id_token.hpp"
#include "domain/identity.hpp"
#include "domain/user.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

/// The table `identities`: which external identity belongs to which user. Also the table `used_id_tokens`.
namespace auth_mfa::identities {

/// The user with this identity (issuer and subject); nullopt if the identity is unknown.
std::optional<User> find_user(
    pg::Tx& tx, core::Scope const& scope, std::string_view issuer, std::string_view subject);

/// Links the identity to the user. nullopt if it is linked already, to this user or another.
std::optional<LinkedIdentity> insert(
    pg::Tx& tx, core::Scope const& scope, ExternalIdentity const& identity, UserId user_id, core::Time now);

/// The user's identities, oldest first. A user has at most `max_identities`.
std::vector<LinkedIdentity> list(pg::Tx& tx, core::Scope const& scope, UserId user_id);

inline constexpr std::size_t max_identities = 20;

/// Unlinks an identity of the user. Returns it; nullopt if the user has no such identity.
std::optional<LinkedIdentity> remove(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Uuid id);

void remove_all(pg::Tx& tx, core::Scope const& scope, UserId user_id);

/// Marks the id token as used. False if it was used before.
bool use_token(pg::Tx& tx, core::Scope const& scope, ExternalIdentity const& identity);

/// Deletes at most `limit` used tokens of `scopes` that expired before `before`. Returns the number of
/// deleted rows.
std::size_t purge_tokens(
    pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit);

} // namespace auth_mfa::identities
