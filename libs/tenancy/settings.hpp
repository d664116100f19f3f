#pragma once

#include "core/clock.hpp"
#include "core/identity.hpp"
#include "pg/database.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>

/// The settings of a scope: one JSON document, whose members each service names and checks.
namespace tenancy::settings {

struct Settings {
    boost::json::object document; ///< empty when nothing was ever set
    std::int64_t version = 0;     ///< counts the writes
    std::optional<core::Time> updated_at;
};

/// The settings as they are. The transaction sees the scope.
Settings read(pg::Tx& tx, core::Scope const& scope);

/// The same, and nobody else writes them until this transaction ends: for read, change, write.
Settings read_for_update(pg::Tx& tx, core::Scope const& scope);

/// Replaces the document and announces it to every Directory at commit. With `expected_version` (0: never
/// written) throws PRECONDITION_FAILED when the version is another one.
Settings write(pg::Tx& tx, core::Scope const& scope, boost::json::object const& document,
    std::optional<std::int64_t> expected_version, core::Time now);

} // namespace tenancy::settings
