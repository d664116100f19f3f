#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace pg {

/// A table whose rows belong to other rows, as replies belong to a thread. The names are part of the SQL, so
/// they must be constants of the program.
struct Parts {
    std::string_view table; ///< has a column `scope_id`
    std::string_view owner; ///< the column (`uuid`) with the id of the row that a part belongs to
    std::string_view key;   ///< the column that identifies a part among the parts of its owner
};

/// Deletes at most `limit` parts of these owners. Returns the number of deleted rows. For the steps of an
/// erasure: a foreign key with ON DELETE CASCADE deletes any number of rows in one statement.
std::size_t delete_parts(Tx& tx, core::ScopeId scope_id, Parts const& parts,
    std::span<core::Uuid const> owners, std::size_t limit);

} // namespace pg
