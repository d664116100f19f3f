#include "auth/api_key_rows.hpp"

#include "auth/api_key_format.hpp"
#include "pg/row.hpp"

#include <map>
#include <stdexcept>

namespace auth::api_key_rows {

namespace {

/// Returns the scope of each known hash.
asio::awaitable<std::map<std::string, core::ScopeId>> find_scopes(
    pg::BatchConnection& connection, std::span<crypto::Digest const> hashes)
{
    std::vector<pg::Param> wanted;
    wanted.reserve(hashes.size());
    for (auto const& hash : hashes)
        wanted.push_back(pg::Param::bytes(crypto::view(hash)));
    auto const rows = co_await connection.run(pg::Scopes(),
        "SELECT key_hash, scope_id FROM api_key_scopes WHERE key_hash = ANY($1::bytea[])",
        {pg::Param::array(wanted)});
    std::map<std::string, core::ScopeId> scopes;
    for (auto const& row : rows) {
        pg::RowReader r(row);
        std::string hash = r.bytes();
        scopes.emplace(std::move(hash), r.scope_id());
    }
    co_return scopes;
}

asio::awaitable<std::map<std::string, Found>> find_keys(
    pg::BatchConnection& connection, std::map<std::string, core::ScopeId> const& scopes)
{
    std::vector<pg::Param> hashes;
    std::vector<core::ScopeId> ids;
    hashes.reserve(scopes.size());
    ids.reserve(scopes.size());
    for (auto const& [hash, scope_id] : scopes) {
        hashes.push_back(pg::Param::bytes(hash));
        ids.push_back(scope_id);
    }
    auto const rows = co_await connection.run(pg::Scopes(ids),
        R"(
        SELECT k.key_hash, k.scope_id, k.prefix, k.kind, k.expires_at
        FROM unnest($1::bigint[], $2::bytea[]) AS wanted(scope_id, key_hash)
        JOIN api_keys k ON k.scope_id = wanted.scope_id AND k.key_hash = wanted.key_hash
        WHERE k.revoked_at IS NULL)",
        {pg::Param(ids), pg::Param::array(hashes)});
    std::map<std::string, Found> keys;
    for (auto const& row : rows) {
        pg::RowReader r(row);
        std::string hash = r.bytes();
        Found found;
        found.scope_id = r.scope_id();
        found.prefix = r.text();
        found.kind = r.text();
        found.expires_at = r.optional_time();
        keys.emplace(std::move(hash), std::move(found));
    }
    co_return keys;
}

Record read_record(pg::RowReader& r)
{
    Record record;
    record.id = r.uuid();
    record.prefix = r.text();
    record.kind = r.text();
    record.created_at = r.time();
    record.last_used_at = r.optional_time();
    record.expires_at = r.optional_time();
    return record;
}

} // namespace

pg::Batch<std::optional<Found>> find(pg::BatchConnection& connection, std::span<crypto::Digest const> hashes)
{
    std::vector<std::optional<Found>> out(hashes.size());
    auto const scopes = co_await find_scopes(connection, hashes);
    if (scopes.empty()) co_return out;
    auto const keys = co_await find_keys(connection, scopes);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        auto const it = keys.find(std::string(crypto::view(hashes[i])));
        if (it != keys.end()) out[i] = it->second;
    }
    co_return out;
}

Minted insert(pg::Tx& tx, core::ScopeId scope_id, ApiKeyKind const& kind)
{
    // The probability that two keys of a scope have the same prefix is about 1 in 10^14. If the prefix of the
    // new key is in use, the loop generates another key.
    constexpr int tries = 8;
    pg::lock_scope(tx, scope_id);
    for (int i = 0; i < tries; ++i) {
        std::string key = api_key_format::generate(kind.prefix);
        crypto::Digest const hash = crypto::sha256(key);
        auto const rows = tx.run(R"(
            INSERT INTO api_keys (scope_id, prefix, key_id, kind, key_hash, created_at)
            VALUES ($1, $2, $3, $4, $5, clock_timestamp())
            ON CONFLICT (scope_id, prefix) DO NOTHING
            RETURNING created_at)",
            {scope_id, api_key_format::shown(key), core::Uuid::v7(), kind.name,
                pg::Param::bytes(crypto::view(hash))});
        if (rows.empty()) continue;
        tx.run("INSERT INTO api_key_scopes (key_hash, scope_id) VALUES ($1, $2)",
            {pg::Param::bytes(crypto::view(hash)), scope_id});
        return {std::move(key), pg::RowReader(rows[0]).time()};
    }
    throw std::runtime_error("no free key prefix was found");
}

bool revoke(pg::Tx& tx, core::ScopeId scope_id, std::string_view prefix, core::Time now)
{
    auto const rows = tx.run(R"(
        WITH ended AS (
            UPDATE api_keys
            SET revoked_at = $3
            WHERE scope_id = $1 AND prefix = $2 AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > $3)
            RETURNING prefix, key_hash
        ),
        gone AS (
            DELETE FROM api_key_scopes s
            USING ended
            WHERE s.key_hash = ended.key_hash AND s.scope_id = $1
        )
        SELECT prefix
        FROM ended)",
        {scope_id, prefix, now});
    return !rows.empty();
}

std::vector<std::string> end_others(pg::Tx& tx, core::ScopeId scope_id, std::string_view kind,
    std::string_view except, core::Time now, core::Time end)
{
    auto const prefixes = [](pg::Rows const& rows) { return pg::read_rows(rows, &pg::RowReader::text); };
    if (end > now) {
        return prefixes(tx.run(R"(
            UPDATE api_keys
            SET expires_at = least(coalesce(expires_at, $5), $5)
            WHERE scope_id = $1 AND kind = $2 AND prefix <> $3 AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > $4)
            RETURNING prefix)",
            {scope_id, kind, except, now, end}));
    }
    return prefixes(tx.run(
        R"(
        WITH ended AS (
            UPDATE api_keys
            SET revoked_at = $4
            WHERE scope_id = $1 AND kind = $2 AND prefix <> $3 AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > $4)
            RETURNING prefix, key_hash
        ),
        gone AS (
            DELETE FROM api_key_scopes s
            USING ended
            WHERE s.key_hash = ended.key_hash AND s.scope_id = $1
        )
        SELECT prefix
        FROM ended)",
        {scope_id, kind, except, now}));
}

std::vector<Record> list(pg::Tx& tx, core::ScopeId scope_id, core::Time now,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT key_id, prefix, kind, created_at, last_used_at, expires_at
        FROM api_keys
        WHERE scope_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
            AND (created_at, key_id) < ($3::timestamptz, $4::uuid)
        ORDER BY created_at DESC, key_id DESC
        LIMIT $5)",
        {scope_id, now, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(rows, read_record);
}

void touch(pg::Tx& tx, std::span<Use const> uses)
{
    std::vector<core::ScopeId> scopes;
    std::vector<std::string> prefixes;
    std::vector<pg::Param> times;
    for (auto const& use : uses) {
        scopes.push_back(use.scope_id);
        prefixes.push_back(use.prefix);
        times.emplace_back(use.at);
    }
    // Several replicas write the same rows. Skipping locked rows avoids both waiting and deadlocks.
    tx.run(R"(
        WITH due AS (
            SELECT k.scope_id, k.prefix, used.at
            FROM unnest($1::bigint[], $2::text[], $3::timestamptz[]) AS used(scope_id, prefix, at)
            JOIN api_keys k ON k.scope_id = used.scope_id AND k.prefix = used.prefix
            WHERE k.last_used_at IS NULL OR k.last_used_at < used.at
            FOR NO KEY UPDATE OF k SKIP LOCKED
        )
        UPDATE api_keys k
        SET last_used_at = due.at
        FROM due
        WHERE k.scope_id = due.scope_id AND k.prefix = due.prefix)",
        {pg::Param(scopes), pg::Param(prefixes), pg::Param::array(times)});
}

} // namespace auth::api_key_rows
