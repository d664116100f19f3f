#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "pg/database.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The table `recovery_codes`. The caller owns the transaction, which sees the scope.
namespace auth_mfa::recovery_codes {

struct Hashed {
    std::string locator;
    std::string secret_hash; ///< PHC string
};

/// Ends the codes there are and keeps these in their place.
void replace(
    pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, std::span<Hashed const> codes, core::Time now);

/// The hash of the unused code of that locator.
std::optional<std::string> find(
    pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, std::string_view locator);

/// Uses the code up; false when it has been, or its hash is another one by now.
bool use(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id, Hashed const& code, core::Time now);

/// How many have not been used.
std::int64_t count(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id);

void remove_all(pg::Tx& tx, core::Scope const& scope, core::Uuid user_id);

} // namespace auth_mfa::recovery_codes
