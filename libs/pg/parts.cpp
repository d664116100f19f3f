#include "pg/parts.hpp"

#include "pg/uuids.hpp"

#include <string>

namespace pg {

std::size_t delete_parts(
    Tx& tx, core::ScopeId scope_id, Parts const& parts, std::span<core::Uuid const> owners, std::size_t limit)
{
    std::string const table(parts.table), owner(parts.owner), key(parts.key);
    auto const deleted =
        tx.run("DELETE FROM " + table + " p USING (SELECT " + owner + ", " + key + " FROM " + table +
                   " WHERE scope_id = $1 AND " + owner +
                   " = ANY ($2::uuid[]) LIMIT $3::bigint) AS gone WHERE p.scope_id = $1 AND p." + owner +
                   " = gone." + owner + " AND p." + key + " = gone." + key,
            {scope_id, uuids(owners), limit});
    return deleted.affected_rows();
}

} // namespace pg
