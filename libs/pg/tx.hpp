#pragma once

#include "core/scope.hpp"
#include "pg/param.hpp"
#include "pg/rows.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace pg {

/// The ids of the scopes whose rows a transaction may see. Row-level security compares them with each row
/// (setting `app.scopes`). If the list is empty, the transaction sees only tables without row-level security
/// (tenants, key look-up, job queue).
class Scopes {
public:
    Scopes() = default;

    Scopes(core::ScopeId id) : ids_{id} {}

    Scopes(core::Scope const& scope) : ids_{scope.id} {}

    explicit Scopes(std::vector<core::ScopeId> ids) : ids_(std::move(ids)) {}

    /// Sorts the ids and removes repetitions.
    static Scopes distinct(std::vector<core::ScopeId> ids);

    /// Both scopes of a tenant, for transactions that read or write both environments.
    static Scopes of_tenant(core::TenantId id)
    {
        auto const both = core::scopes_of(id);
        return Scopes(std::vector<core::ScopeId>(both.begin(), both.end()));
    }

    std::vector<core::ScopeId> const& ids() const noexcept { return ids_; }

private:
    std::vector<core::ScopeId> ids_;
};

/// An open transaction. Use it only on the database thread that runs `work`. Each connection prepares a
/// statement on first use, and finds it by its text later. So `sql` must be a constant or one of a bounded
/// set of texts.
class Tx {
public:
    virtual ~Tx() = default;

    /// Runs one statement. Its values are bound and never part of its text. Throws libpqxx's exceptions
    /// (`pqxx::unique_violation`, ...). After a failure the transaction cannot continue, and `work` should
    /// throw. If `work` returns nevertheless, its result is dropped, and the failure counts as thrown by
    /// `work`.
    virtual Rows run(std::string_view sql, std::span<Param const> params) = 0;

    Rows run(std::string_view sql, Params params = {})
    {
        return run(sql, std::span(params.begin(), params.size()));
    }
};

/// Takes the scope's advisory lock until the transaction ends, like `BatchConnection::run_with_scope_locks`.
/// The key of the lock is a bigint with `0x53` in the top byte and the scope's id in the other bytes.
void lock_scope(Tx& tx, core::ScopeId scope_id);

} // namespace pg
