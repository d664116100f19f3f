#pragma once

#include "core/scope.hpp"
#include "domain/template.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `templates`, shared by a tenant's two environments. Rows are found by the tenant of the scope
/// that the transaction sees.
namespace notify::templates {

/// The name of a template in a send request.
struct Name {
    core::ScopeId scope_id{}; ///< scope of the request; either scope of the tenant is valid
    std::string name;
};

/// The data that is needed to accept a send request.
struct Found {
    Template content;
    bool has_carrier = false; ///< push: whether the scope has credentials of any kind
};

/// The result for a name is nullopt if the tenant has no template with this name.
pg::Batch<std::optional<Found>> find_batch(pg::BatchConnection& connection, std::span<Name const> names);

std::optional<Template> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The template, locked until the transaction ends.
std::optional<Template> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// At most `limit` templates after `after`, newest first.
std::vector<Template> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// Inserts `t` and fills in its version and times. Takes the tenant's lock, so no list cursor can miss a
/// template. Throws CONFLICT if the tenant has another template with this name.
void insert(pg::Tx& tx, core::Scope const& scope, Template& t);

/// Updates a locked template, and sets `version` and `updated_at` of `t`. Throws CONFLICT like `insert`.
void update(pg::Tx& tx, core::Scope const& scope, Template& t);

/// Removes a locked template.
void remove(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

} // namespace notify::templates
