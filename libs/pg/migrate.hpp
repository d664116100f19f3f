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

/// Brings the database at `url` (a role that may create tables and roles) up to date. Takes an advisory lock,
/// so that parallel runs wait for each other. Applies the migrations that `schema_migrations` does not list,
/// in the given order, each in its own transaction. Returns the applied names, `component/0001_name`. May run
/// while the service is running: each attempt of a migration waits at most one second for a lock, and the
/// attempts continue for some minutes.
///
/// Creates `service_role` (the role of the service) as NOLOGIN if it does not exist, and allows it to use
/// schema public and to connect. Migrations grant all other privileges. Their SQL may use `:service_role`,
/// which is replaced by its quoted name, and `protect_by_scope(regclass)`: it enables and forces row-level
/// security on a table with a column `scope_id`, so that only rows of the transaction's scopes (`app.scopes`)
/// are visible and writable. `protect_by_tenant(regclass)` does the same by the column `tenant_id`, for data
/// that both environments of a tenant share. Visible and writable are then the rows of the tenants to which
/// the transaction's scopes belong.
///
/// `schema_migrations` stores the SHA-256 of the text that was applied, and keeps it. If only comments of an
/// applied migration change, each earlier checksum must be declared in a line of the comment at its start:
///
///     -- Checksum before its comments were reworded: <64 lower case hexadecimal digits>
///
/// Databases that stored an earlier checksum are then accepted. Programs with the earlier text still accept
/// them too, but refuse a database to which the new text was applied.
///
/// Throws std::runtime_error, with advice, if a migration fails or the role cannot be created. Also throws it
/// if the text of a migration changed after it was applied and does not declare the stored checksum.
std::vector<std::string> migrate(
    std::string const& url, std::span<Component const* const> components, std::string const& service_role);

/// The names of migrations that are not applied yet. Used by the command `await-schema`, which the init
/// container runs. It only reads, so the service's role suffices. Throws std::runtime_error if the text of an
/// applied migration changed, as `migrate` does.
std::vector<std::string> pending(std::string const& url, std::span<Component const* const> components);

} // namespace pg
