#pragma once

#include "core/identity.hpp"
#include "domain/template.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `templates`, which a tenant's two environments share: its rows are found by the tenant of the
/// scope that a transaction sees.
namespace notify::templates {

/// A template's name, as a send gives it.
struct Name {
    std::int64_t scope_id = 0; ///< of the send: either of the tenant's
    std::string name;
};

/// What accepting a send has to know.
struct Found {
    Template content;
    bool has_platform = false; ///< of a push: whether the scope has credentials, of whatever kind
};

/// nullopt where the tenant has no template of that name.
pg::Batch<std::optional<Found>> find_batch(pg::Session& session, std::span<Name const> names);

std::optional<Template> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The same, locked until the transaction ends.
std::optional<Template> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// At most `limit` of them after `after`, newest first.
std::vector<Template> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// Inserts `t`, whose version and times are filled in, behind every other of the tenant. Throws CONFLICT when
/// the tenant has one of that name.
void insert(pg::Tx& tx, core::Scope const& scope, Template& t);

/// Writes a locked one; version and `updated_at` become the new ones. Throws CONFLICT as `insert`.
void update(pg::Tx& tx, core::Scope const& scope, Template& t);

/// Removes a locked one.
void remove(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

} // namespace notify::templates
