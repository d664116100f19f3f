#pragma once

#include "support/postgres.hpp"
#include "support/redis.hpp"

#include <compare>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace testing {

// Helpers for tests of the erasure of a user. Such a test writes a marker, a text that occurs nowhere else,
// into everything that a user can fill. After the erasure, the marker must not be stored anywhere.

/// A column of a table in the schema `public`. For a partitioned table: of the table, not of a partition.
struct MarkedPlace {
    std::string table, column;

    auto operator<=>(MarkedPlace const&) const = default;
};

/// Writes `table.column`.
std::ostream& operator<<(std::ostream& out, MarkedPlace const& place);

/// Every column in which a row contains `marker`, in alphabetical order. A column of any type is searched as
/// text, without regard to case, because search indexes and normalised addresses are in lower case. A `bytea`
/// is searched as bytes. Encrypted values are not decrypted.
std::vector<MarkedPlace> find_marker(Postgres const& postgres, std::string const& marker);

/// The keys of the Redis whose name or value contains `marker`. All types of values are searched.
std::vector<std::string> find_marker(Redis const& redis, std::string const& marker);

/// The files below `folder` whose name or content contains `marker`. No files if there is no such folder.
std::vector<std::string> find_marked_files(std::string const& folder, std::string const& marker);

/// The columns of the tables of libraries that every service has, for `require_every_column_known`: they
/// contain nothing of a user, although their type would allow it. The columns of `audit_log`,
/// `webhook_deliveries` and `idempotency_keys` that may contain data of a user are not among them.
std::set<std::string> const& library_columns_without_users();

/// The form of the ids of a service's users.
enum class UserIds { texts, uuids };

/// Checks that every column that could contain data of a user is known: it contained a marker (`planted`), or
/// is listed in `without_users` as `table.column` or `table.*`. Columns of numbers, times and boolean values
/// need not be known, nor UUIDs unless users' ids are UUIDs. So a new column or table that the test does not
/// cover is found. Use `table.*` only for a table to which no column with data of a user can be added. Also
/// finds names in `without_users` of columns that do not exist or are in `planted`. Returns one line for each
/// fault.
std::string unknown_columns(Postgres const& postgres, std::vector<MarkedPlace> const& planted,
    std::set<std::string> const& without_users, UserIds user_ids = UserIds::texts);

/// Fails the test if `unknown_columns` finds a fault.
void require_every_column_known(Postgres const& postgres, std::vector<MarkedPlace> const& planted,
    std::set<std::string> const& without_users, UserIds user_ids = UserIds::texts);

} // namespace testing
