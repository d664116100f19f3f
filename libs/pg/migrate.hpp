#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pg {

/// A numbered, forward-only schema change, from `migrations/<number>_<name>.sql`.
struct Migration {
    std::string_view name; ///< `0001_tenants`
    std::string_view sql;
};

/// A part of the schema with its own numbering: the tables of a library or of a service.
struct Component {
    std::string_view name;
    std::vector<Migration> migrations;
};

/// Brings the database at `url` up to date. The role in `url` must be allowed to create tables and roles.
/// Takes an advisory lock, so that parallel runs wait for each other. Applies the migrations that
/// `schema_migrations` does not list, in the given order, each in its own transaction. Returns the applied
/// names, `component/0001_name`. May run while the service is running. Each attempt of a migration waits at
/// most one second for a lock, and at most 120 attempts are made.
///
/// Creates `service_role` (the role of the service) as NOLOGIN if it does not exist, and allows it to use
/// schema public and to connect. Migrations grant all other privileges. Their SQL may use `:service_role`,
/// which is replaced by the quoted name of the role. It may also call two functions that enable and force
/// row-level security on a table. `protect_by_scope(regclass)` is for a table with a column `scope_id`: only
/// rows of the transaction's scopes (`app.scopes`) are visible and writable. `protect_by_tenant(regclass)` is
/// for a table with a column `tenant_id`, whose data both environments of a tenant share: only rows of the
/// tenants to which the transaction's scopes belong are visible and writable.
///
/// `schema_migrations` stores the SHA-256 of the text that was applied, and keeps it. If only comments of an
/// applied migration change, the comment at the start of its file must declare each earlier checksum in a
/// line:
///
///     -- Checksum before its comments were reworded: <64 lower case hexadecimal digits>
///
/// A program with the new text then accepts databases that store an earlier checksum. A program with the
/// earlier text accepts these databases too, but it refuses a database to which the new text was applied.
///
/// Throws std::runtime_error, with advice, if a migration fails or the role cannot be created. Also throws it
/// if the text of a migration changed after it was applied and does not declare the stored checksum.
std::vector<std::string> migrate(
    std::string const& url, std::span<Component const* const> components, std::string const& service_role);

/// Returns the names of migrations that are not applied yet. Used by the command `await-schema`, which the
/// init container runs. This function only reads, so the service's role suffices. Throws std::runtime_error
/// if the text of an applied migration changed, as `migrate` does.
std::vector<std::string> pending(std::string const& url, std::span<Component const* const> components);

} // namespace pg
