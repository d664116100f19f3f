#pragma once

#include "testing/postgres.hpp"

#include <map>
#include <string>

namespace testing {

/// How a table is looked at: an SQL expression of a row `t` that is jsonb, instead of the whole row; ""
/// leaves the table out.
using RowViews = std::map<std::string, std::string>;

/// A fingerprint of every row of the scope, table by table: equal when nothing of it was changed.
std::string rows_of_scope(Postgres const& postgres, std::string const& scope_id, RowViews const& views = {});

} // namespace testing
