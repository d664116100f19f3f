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

bool purge(pg::Database& database, std::size_t batch)
{
    auto const removed = database.transact_blocking(pg::Scopes(), [&](pg::Tx& tx) {
        auto const rows = tx.run("SELECT purge_idempotency_keys($1)", {batch});
        return pg::RowReader(rows.front()).integer();
    });
    return static_cast<std::size_t>(removed) >= batch;
}

} // namespace idempotency
