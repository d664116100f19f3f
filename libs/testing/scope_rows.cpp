#include "testing/scope_rows.hpp"

#include <sstream>

namespace testing {

std::string rows_of_scope(Postgres const& postgres, std::string const& scope_id, RowViews const& views)
{
    std::string all;
    std::istringstream names(
        postgres.query("SELECT string_agg(c.relname, ',' ORDER BY c.relname) FROM pg_class c "
                       "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'scope_id' "
                       "WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace"));
    for (std::string table; std::getline(names, table, ',');) {
        auto const view = views.find(table);
        std::string const row = view == views.end() ? "to_jsonb(t)" : view->second;
        if (row.empty()) continue;
        all += table + "=" +
               postgres.query("SELECT md5(coalesce(string_agg((" + row + ")::text, E'\\n' ORDER BY (" + row +
                              ")::text), '')) FROM " + table + " t WHERE scope_id = " + scope_id) +
               ";";
    }
    return all;
}

} // namespace testing
