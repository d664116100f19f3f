#include "storage/suppressions.hpp"

#include "core/hex.hpp"
#include "crypto/hash.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

#include <utility>

namespace notify::suppressions {

namespace {

constexpr auto columns = pg::sql("s.channel, s.address, s.hashed, s.reason, s.created_at, "
                                 "md5(s.channel || s.address)::uuid");

Suppression read(pg::RowReader& r)
{
    Suppression s;
    s.channel = r.one_of<Channel>();
    s.address = r.text();
    s.hashed = r.boolean();
    s.reason = r.text();
    s.created_at = r.time();
    s.place = r.uuid();
    return s;
}

pg::Param every_channel()
{
    return pg::column(core::names_of<Channel>, [](std::string_view name) { return name; });
}

/// The hashes of an address, in the order of `every_channel`.
std::vector<std::string> hashes_of(core::ScopeId scope_id, std::string_view address)
{
    std::vector<std::string> hashes;
    hashes.reserve(core::names_of<Channel>.size());
    for (std::size_t i = 0; i < core::names_of<Channel>.size(); ++i)
        hashes.push_back(hash_of(scope_id, static_cast<Channel>(i), address));
    return hashes;
}

using Address = std::pair<Channel, std::string>;

/// At most `limit` of the user's suppressed addresses that are not hashed.
std::vector<Address> addresses_of(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT channel, address
        FROM suppressions
        WHERE scope_id = $1 AND channel = ANY ($3::text[]) AND address = $2 AND NOT hashed
        UNION
        SELECT s.channel, s.address
        FROM devices d
        JOIN suppressions s ON s.scope_id = $1 AND s.channel = 'push' AND s.address = d.token AND NOT s.hashed
        WHERE d.scope_id = $1 AND d.user_id = $2
        LIMIT $4::bigint)",
        {erasure.scope.id, erasure.user_id, every_channel(), limit});
    return pg::read_rows(rows, [](pg::RowReader& r) {
        auto const channel = r.one_of<Channel>();
        return Address(channel, r.text());
    });
}

} // namespace

std::string hash_of(core::ScopeId scope_id, Channel channel, std::string_view address)
{
    auto const text =
        core::to_string(scope_id) + ':' + std::string(to_string(channel)) + ':' + std::string(address);
    return core::hex::encode(crypto::view(crypto::sha256(text)));
}

void insert(
    pg::Tx& tx, core::ScopeId scope_id, Channel channel, std::string_view address, std::string_view reason)
{
    pg::lock_scope(tx, scope_id);
    tx.run(R"(
        INSERT INTO suppressions (scope_id, channel, address, reason, created_at)
        SELECT $1::bigint, $2::text, $3::text, $4::text, clock_timestamp()
        WHERE NOT EXISTS (
            SELECT FROM suppressions WHERE scope_id = $1 AND channel = $2 AND address = $5 AND hashed
        )
        ON CONFLICT (scope_id, channel, address) DO NOTHING)",
        {scope_id, to_string(channel), address, reason, hash_of(scope_id, channel, address)});
}

std::vector<Suppression> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit)
{
    // md5 is not leakproof, so under row-level security the comparison of the pair only filters the rows that
    // the index returns. The comparison of the time is leakproof, so the index scan starts at the time of the
    // page.
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM suppressions s
        WHERE s.scope_id = $1 AND s.created_at <= $2::timestamptz
            AND (s.created_at, md5(s.channel || s.address)::uuid) < ($2::timestamptz, $3::uuid)
        ORDER BY s.created_at DESC, md5(s.channel || s.address)::uuid DESC
        LIMIT $4)"),
        {scope.id, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

std::vector<Suppression> remove(pg::Tx& tx, core::Scope const& scope, std::string_view address)
{
    // The statement names every channel, so that PostgreSQL can look up the primary key once per channel.
    auto const removed = tx.run(pg::sql<columns>(R"(
        DELETE FROM suppressions s
        USING unnest($2::text[], $3::text[]) AS c(channel, hash)
        WHERE s.scope_id = $1 AND s.channel = c.channel AND s.address IN ($4, c.hash)
            AND s.hashed = (s.address = c.hash)
        RETURNING {columns})"),
        {scope.id, every_channel(), hashes_of(scope.id, address), address});
    return pg::read_rows(removed, read);
}

std::size_t lift(pg::Tx& tx, sms::PhoneNumber const& phone)
{
    auto const lifted = tx.run("SELECT lift_sms_suppressions($1)", {phone.text()});
    return static_cast<std::size_t>(pg::read_first(lifted, &pg::RowReader::integer).value());
}

std::size_t hash_user(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit)
{
    core::ScopeId const scope_id = erasure.scope.id;
    pg::lock_scope(tx, scope_id); // as `insert`
    auto const found = addresses_of(tx, erasure, limit);
    if (found.empty()) return 0;
    tx.run(R"(
        WITH removed AS (
            DELETE FROM suppressions s
            USING unnest($2::text[], $3::text[], $4::text[]) AS u(channel, address, hash)
            WHERE s.scope_id = $1 AND s.channel = u.channel AND s.address = u.address
            RETURNING s.channel, u.hash, s.reason, s.created_at
        )
        INSERT INTO suppressions (scope_id, channel, address, hashed, reason, created_at)
        SELECT $1, channel, hash, true, reason, created_at
        FROM removed
        ON CONFLICT (scope_id, channel, address) DO NOTHING)",
        {scope_id, pg::column(found, [](Address const& a) { return to_string(a.first); }),
            pg::column(found, [](Address const& a) { return std::string_view(a.second); }),
            pg::column(found, [&](Address const& a) { return hash_of(scope_id, a.first, a.second); })});
    return found.size();
}

} // namespace notify::suppressions
