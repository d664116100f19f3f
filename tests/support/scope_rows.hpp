#pragma once

#include "pg/database.hpp"
#include "support/postgres.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace testing {

/// How the rows of a table are compared: an SQL expression over a row `t` that yields jsonb and is compared
/// instead of the whole row. "" omits the table.
using RowViews = std::map<std::string, std::string>;

/// Views that show only changes made by callers. They omit data that the service itself writes during the
/// test: jobs, deliveries of webhooks, and the time when a key was last used.
RowViews const& what_callers_do();

/// Returns a fingerprint of all rows of the scope, table by table. Two fingerprints are equal if no row has
/// changed.
std::string rows_of_scope(Postgres const& postgres, std::string const& scope_id, RowViews const& views = {});

/// A fingerprint of the tenant's rows in one table, for tables that both environments share.
std::string rows_of_tenant(Postgres const& postgres, std::string const& table, std::string const& scope_id);

/// Runs statements with the service's own role in scopes of the test's choice. It shows which rows row-level
/// security lets the statements see and write, regardless of the scopes that they name.
class ScopedStatements {
public:
    /// `ours`: the scope of a sandbox; `other`: a scope of another tenant. Throws std::runtime_error when the
    /// database cannot be reached.
    ScopedStatements(Postgres const& postgres, core::ScopeId ours, core::ScopeId other);
    ~ScopedStatements();
    ScopedStatements(ScopedStatements const&) = delete;
    ScopedStatements& operator=(ScopedStatements const&) = delete;

    /// Returns the first value of the statement's result. Throws the exceptions of the database.
    std::string run(pg::Scopes scopes, std::string const& sql);

    /// Counts the rows of `table` that match `condition` and are visible in `ours`, in the tenant's other
    /// environment, in `other`, and in no scope: `3 0 0 0`.
    std::string seen(std::string const& table, std::string const& condition);

private:
    core::ScopeId ours_, other_;
    pg::Database db_;
};

} // namespace testing
