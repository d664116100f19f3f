#pragma once

#include "domain/user.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <string_view>

/// The table `identities`: which external identity belongs to which user.
namespace auth_mfa::identities {

/// The user with this identity (issuer and subject); nullopt if the identity is unknown.
std::optional<User> find_user(
    pg::Tx& tx, core::Scope const& scope, std::string_view issuer, std::string_view subject);

/// Links the identity to the user. The identity must be new: call find_user first, under pg::lock_scope.
void insert(
    pg::Tx& tx, core::Scope const& scope, std::string_view issuer, std::string_view subject, UserId user_id);

} // namespace auth_mfa::identities
