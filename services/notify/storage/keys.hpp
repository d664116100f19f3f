#pragma once
// Only storage uses this header: keys in statements over many rows. A key has the members `scope_id` and
// `id`.

#include "pg/param.hpp"
#include "pg/row.hpp"

#include <set>

namespace notify {

/// The scopes of `keys`, as the parameter `bigint[]`.
template <class Keys> pg::Param scope_column(Keys const& keys)
{
    return pg::column(keys, [](auto const& key) { return key.scope_id; });
}

/// The ids of `keys`, as the parameter `uuid[]`.
template <class Keys> pg::Param id_column(Keys const& keys)
{
    return pg::column(keys, [](auto const& key) { return key.id; });
}

/// Reads the columns scope and id of `rows`.
template <class Key> std::set<Key> read_keys(pg::Rows const& rows)
{
    std::set<Key> keys;
    for (auto const& row : rows) {
        pg::RowReader r(row);
        auto const scope_id = r.scope_id();
        keys.insert({scope_id, r.uuid()});
    }
    return keys;
}

} // namespace notify
