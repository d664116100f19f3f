#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pg {

/// A numbered, forward-only change of the schema, from `migrations/NNNN_name.sql`.
struct Migration {
    std::string_view name; ///< `0001_tenants`
    std::string_view sql;
};

/// A part of the schema with a numbering of its own: a library's tables, or a service's.
struct Component {
    std::string_view name;
    std::vector<Migration> migrations;
};

/// Brings the database at `url` (a role that may create tables and roles) up to date: takes an advisory lock,
/// so that parallel runs wait for each other, and applies what `schema_migrations` does not list yet, in the
/// order given, each in its own transaction. Returns the names applied, `component/0001_name`. May run while
/// the service serves: a migration waits a second for a lock, and tries again for some minutes when it got
/// none.
///
/// `service_role` (what the service connects as) is created NOLOGIN when missing, may use schema public and
/// connect; migrations grant it the rest. Their SQL may use `:service_role`, which is replaced by its quoted
/// name, and `protect_by_scope(regclass)`: it enables and forces row-level security on a table with a column
/// `scope_id`, so that only rows of the transaction's scopes (`app.scopes`) are seen and written.
/// `protect_by_tenant(regclass)` does the same for a table of what both environments share, by its column
/// `tenant_id`: the rows of the tenants whose scopes these are.
///
/// Throws std::runtime_error, saying what to do, when a migration fails, its text changed after it was
/// applied, or the role cannot be created.
std::vector<std::string> migrate(
    std::string const& url, std::span<Component const* const> components, std::string const& service_role);

/// Names still to be applied; for /readyz and the init container. Reads only: the service's role will do.
std::vector<std::string> pending(std::string const& url, std::span<Component const* const> components);

} // namespace pg
