#include "pg/tx.hpp"

#include "pg/wire.hpp"

#include <algorithm>

namespace pg {

Scopes Scopes::distinct(std::vector<core::ScopeId> ids)
{
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return Scopes(std::move(ids));
}

void lock_scope(Tx& tx, core::ScopeId scope_id)
{
    tx.run("SELECT pg_advisory_xact_lock($1)", {scope_lock(scope_id)});
}

} // namespace pg
