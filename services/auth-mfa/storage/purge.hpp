#pragma once

#include "pg/tx.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// A table whose rows are deleted some time after they end.
struct AgingTable {
    std::string_view name;
    std::string_view end_column = "expires_at"; ///< in an index after scope_id
};

/// Deletes at most `limit` rows of `scopes` that ended before `before`. Returns the number of deleted rows.
std::size_t purge(pg::Tx& tx, AgingTable const& table, std::vector<core::ScopeId> const& scopes,
    core::Time before, std::size_t limit);

} // namespace auth_mfa
