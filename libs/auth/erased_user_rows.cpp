#include "auth/erased_user_rows.hpp"

#include "pg/row.hpp"

#include <algorithm>
#include <map>

namespace auth::erased_user_rows {

namespace {

pg::Param array_of(std::span<crypto::Digest const> hashes)
{
    std::vector<pg::Param> wanted;
    wanted.reserve(hashes.size());
    for (auto const& hash : hashes)
        wanted.push_back(pg::Param::bytes(crypto::view(hash)));
    return pg::Param::array(wanted);
}

Refusal read_refusal(pg::RowReader& r)
{
    Refusal refusal;
    std::string const hash = r.bytes();
    std::ranges::copy(hash, refusal.user_hash.begin());
    refusal.until = r.time();
    return refusal;
}

} // namespace

crypto::Digest hash_of(core::ScopeId scope_id, std::string_view user_id)
{
    return crypto::sha256(core::to_string(scope_id) + ':' + std::string(user_id));
}

bool insert(pg::Tx& tx, NewRow const& row)
{
    auto const rows = tx.run(R"(
        INSERT INTO erased_users (user_hash, scope_id, erasure_id, sealed_user_id, refuse_until)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (user_hash) DO NOTHING
        RETURNING true)",
        {pg::Param::bytes(crypto::view(row.user_hash)), row.scope_id, row.erasure_id, row.sealed_user_id,
            row.refuse_until});
    return !rows.empty();
}

std::optional<Pending> find_pending(pg::Tx& tx, core::Uuid const& erasure_id)
{
    auto const rows = tx.run(R"(
        SELECT scope_id, sealed_user_id
        FROM erased_users
        WHERE erasure_id = $1 AND sealed_user_id IS NOT NULL)",
        {erasure_id});
    return pg::read_first(rows, [](pg::RowReader& r) {
        core::ScopeId const scope_id = r.scope_id();
        return Pending{scope_id, r.text()};
    });
}

std::vector<PendingInScope> lock_pending(pg::Tx& tx, core::ScopeId scope_id)
{
    auto const rows = tx.run(R"(
        SELECT erasure_id, sealed_user_id
        FROM erased_users
        WHERE scope_id = $1 AND sealed_user_id IS NOT NULL
        ORDER BY erasure_id
        FOR NO KEY UPDATE)",
        {scope_id});
    return pg::read_rows(rows, [](pg::RowReader& r) {
        core::Uuid const erasure_id = r.uuid();
        return PendingInScope{erasure_id, r.text()};
    });
}

void reseal(pg::Tx& tx, core::Uuid const& erasure_id, std::string const& sealed_user_id)
{
    tx.run("UPDATE erased_users SET sealed_user_id = $2 WHERE erasure_id = $1", {erasure_id, sealed_user_id});
}

void finish(pg::Tx& tx, core::Uuid const& erasure_id)
{
    tx.run("UPDATE erased_users SET sealed_user_id = NULL WHERE erasure_id = $1", {erasure_id});
}

std::vector<Refusal> list_refused(pg::Tx& tx, core::Time now, std::size_t limit)
{
    return pg::read_rows(
        tx.run("SELECT user_hash, refuse_until FROM erased_users WHERE refuse_until > $1 LIMIT $2::bigint",
            {now, limit}),
        read_refusal);
}

pg::Batch<std::optional<core::Time>> find_refusals(
    pg::BatchConnection& connection, std::span<crypto::Digest const> hashes)
{
    auto const rows = co_await connection.run(pg::Scopes(),
        "SELECT user_hash, refuse_until FROM erased_users WHERE user_hash = ANY ($1::bytea[])",
        {array_of(hashes)});
    std::map<crypto::Digest, core::Time> found;
    for (auto const& refusal : pg::read_rows(rows, read_refusal))
        found.emplace(refusal.user_hash, refusal.until);
    std::vector<std::optional<core::Time>> refusals;
    refusals.reserve(hashes.size());
    for (auto const& hash : hashes) {
        auto const it = found.find(hash);
        refusals.push_back(it == found.end() ? std::nullopt : std::optional(it->second));
    }
    co_return refusals;
}

std::vector<bool> were_erased(pg::Tx& tx, core::ScopeId scope_id, std::span<std::string const> user_ids)
{
    std::vector<crypto::Digest> hashes;
    hashes.reserve(user_ids.size());
    for (auto const& user_id : user_ids)
        hashes.push_back(hash_of(scope_id, user_id));
    auto const rows =
        tx.run("SELECT user_hash, refuse_until FROM erased_users WHERE user_hash = ANY ($1::bytea[])",
            {array_of(hashes)});
    auto const found = pg::read_rows(rows, read_refusal);
    std::vector<bool> erased;
    erased.reserve(hashes.size());
    for (auto const& hash : hashes)
        erased.push_back(std::ranges::find(found, hash, &Refusal::user_hash) != found.end());
    return erased;
}

} // namespace auth::erased_user_rows
