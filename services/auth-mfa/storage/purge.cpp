#include "storage/purge.hpp"

#include <string>

namespace auth_mfa {

std::size_t purge(pg::Tx& tx, AgingTable const& table, std::vector<core::ScopeId> const& scopes,
    core::Time before, std::size_t limit)
{
    std::string const name(table.name), end(table.end_column);
    return tx
        .run("DELETE FROM " + name + " WHERE ctid = ANY (ARRAY(SELECT ctid FROM " + name +
                 " WHERE scope_id = ANY ($1::bigint[]) AND " + end + " < $2 LIMIT $3::bigint))",
            {scopes, before, limit})
        .affected_rows();
}

} // namespace auth_mfa
