#pragma once

#include "core/clock.hpp"
#include "domain/user_id.hpp"
#include "pg/tx.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The table `recovery_codes`. The functions run in the caller's transaction, which must be open
/// for the scope: row-level security hides the rows of other scopes.
namespace auth_mfa::recovery_codes {

struct Hashed {
    std::string locator;
    std::string secret_hash; ///< PHC string
};

/// Replaces all codes of the user with `codes`.
void replace(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::span<Hashed const> codes, core::Time now);

/// The hash of the unused code with this locator; nullopt if the user has no such code.
std::optional<std::string> find(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::string_view locator);

/// Marks the code as used; false if it is already used or was replaced.
bool use(pg::Tx& tx, core::Scope const& scope, UserId user_id, Hashed const& code, core::Time now);

/// The number of unused codes.
std::int64_t count(pg::Tx& tx, core::Scope const& scope, UserId user_id);

void remove_all(pg::Tx& tx, core::Scope const& scope, UserId user_id);

} // namespace auth_mfa::recovery_codes
