#include "idempotency/once.hpp"

#include "core/error.hpp"
#include "pg/row.hpp"

#include <algorithm>

namespace idempotency {

namespace {

constexpr std::size_t max_key_length = 255;

} // namespace

std::string parse_key(std::string_view header)
{
    bool const visible =
        std::all_of(header.begin(), header.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    if (header.empty() || header.size() > max_key_length || !visible)
        throw core::Error::validation(
            {{"Idempotency-Key", "format", "must be 1 to 255 visible ASCII characters without spaces"}});
    return std::string(header);
}

std::size_t erase_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, std::size_t limit)
{
    auto const deleted = tx.run(R"(
        DELETE FROM idempotency_keys
        WHERE scope_id = $1 AND key_hash = ANY (ARRAY(
            (SELECT key_hash FROM idempotency_keys WHERE scope_id = $1 AND user_id = $2 LIMIT $3::bigint)
            UNION
            (SELECT key_hash FROM idempotency_keys WHERE scope_id = $1 AND about_user_id = $2 LIMIT $3::bigint)
            LIMIT $3::bigint)))",
        {scope_id, user_id, limit});
    return deleted.affected_rows();
}

bool purge(pg::Database& database, std::size_t batch)
{
    auto const removed = database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
        auto const rows = tx.run("SELECT purge_idempotency_keys($1)", {batch});
        return pg::RowReader(rows.front()).integer();
    });
    return static_cast<std::size_t>(removed) >= batch;
}

} // namespace idempotency
