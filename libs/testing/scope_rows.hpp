#pragma once

#include "pg/database.hpp"
#include "testing/postgres.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace testing {

/// How a table is looked at: an SQL expression of a row `t` that is jsonb, instead of the whole row; ""
/// leaves the table out.
using RowViews = std::map<std::string, std::string>;

/// How a scope is looked at to see what callers did: without what the service itself writes meanwhile, which
/// is jobs, deliveries of webhooks, and when a key was used last.
RowViews const& what_callers_do();

/// A fingerprint of every row of the scope, table by table: equal when nothing of it was changed.
std::string rows_of_scope(Postgres const& postgres, std::string const& scope_id, RowViews const& views = {});

/// A fingerprint of a table's rows of the scope's tenant, for tables that both environments share.
std::string rows_of_tenant(Postgres const& postgres, std::string const& table, std::string const& scope_id);

/// Statements of the service's own role, in scopes of the test's choice: what the database lets them see and
/// write, whatever they name.
class ScopedStatements {
public:
    /// `ours`: of a sandbox; `other`: of another tenant. Throws std::runtime_error when the database is away.
    ScopedStatements(Postgres const& postgres, std::int64_t ours, std::int64_t other);
    ~ScopedStatements();
    ScopedStatements(ScopedStatements const&) = delete;
    ScopedStatements& operator=(ScopedStatements const&) = delete;

    /// The first value of what the statement answers. Throws what the database does.
    std::string run(pg::Scopes scopes, std::string const& sql);

    /// How many rows of `table`, of those with `condition`, are seen in `ours`, in the tenant's other
    /// environment, in `other`, and in no scope: `3 0 0 0`.
    std::string seen(std::string const& table, std::string const& condition);

private:
    std::int64_t ours_, other_;
    pg::Database db_;
};

} // namespace testing
