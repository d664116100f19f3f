#pragma once

#include "domain/user.hpp"
#include "pg/database.hpp"

#include <optional>
#include <string_view>

/// The table `identities`: who of the outside world is which user.
namespace auth_mfa::identities {

/// The user that subject of the issuer signs in as.
std::optional<User> find_user(
    pg::Tx& tx, core::Scope const& scope, std::string_view issuer, std::string_view subject);

/// Makes them that user. The pair is new: find_user has said so since those who make users take turns
/// (pg::serialise).
void insert(pg::Tx& tx, core::Scope const& scope, std::string_view issuer, std::string_view subject,
    core::Uuid user_id);

} // namespace auth_mfa::identities
