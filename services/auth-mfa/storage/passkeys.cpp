#include "storage/passkeys.hpp"

#include "pg/row.hpp"
#include "pg/sql.hpp"

#include <stdexcept>

namespace auth_mfa::passkeys {

namespace {

constexpr auto columns = pg::sql(R"(
    passkey_id, user_id, name, rp_id, credential_id, public_key, algorithm, aaguid, sign_count,
    backup_eligible, backed_up, transports, session_id, created_at, last_used_at)");

webauthn::Algorithm stored_algorithm(std::int64_t number)
{
    auto const algorithm = webauthn::algorithm_of(number);
    if (!algorithm)
        throw std::runtime_error("a stored passkey has the unknown algorithm " + std::to_string(number));
    return *algorithm;
}

Passkey read(pg::RowReader& r)
{
    Passkey passkey;
    passkey.id = r.uuid();
    passkey.user_id = UserId(r.uuid());
    passkey.name = r.text();
    passkey.rp_id = r.text();
    auto& credential = passkey.credential;
    credential.id = r.bytes();
    credential.public_key = r.bytes();
    credential.algorithm = stored_algorithm(r.integer());
    credential.aaguid = r.uuid().bytes();
    credential.sign_count = static_cast<std::uint32_t>(r.integer());
    credential.backup_eligible = r.boolean();
    credential.backed_up = r.boolean();
    credential.transports = r.texts();
    passkey.session_id = r.optional_uuid();
    passkey.created_at = r.time();
    passkey.last_used_at = r.optional_time();
    return passkey;
}

} // namespace

bool insert(pg::Tx& tx, core::Scope const& scope, Passkey const& passkey)
{
    auto const& credential = passkey.credential;
    auto const result = tx.run(R"(
        INSERT INTO passkeys (
            scope_id, passkey_id, user_id, name, rp_id, credential_id, public_key, algorithm, aaguid,
            sign_count, backup_eligible, backed_up, transports, session_id, created_at
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
        ON CONFLICT (scope_id, credential_id) DO NOTHING)",
        {scope.id, passkey.id, passkey.user_id, passkey.name, passkey.rp_id, pg::Param::bytes(credential.id),
            pg::Param::bytes(credential.public_key), static_cast<std::int64_t>(credential.algorithm),
            core::Uuid::from_bytes(credential.aaguid), static_cast<std::int64_t>(credential.sign_count),
            credential.backup_eligible, credential.backed_up, credential.transports, passkey.session_id,
            passkey.created_at});
    return result.affected_rows() == 1;
}

pg::Batch<std::optional<Passkey>> find_batch(pg::BatchConnection& connection, std::span<Key const> keys)
{
    std::vector<pg::Param> const params{pg::column(keys, [](Key const& k) { return k.scope_id; }),
        pg::column(keys, [](Key const& k) { return pg::Param::bytes(k.credential_id); })};
    static constexpr auto sql = pg::sql<columns>(R"(
        SELECT k.place, {columns}
        FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY AS k(scope_id, id, place)
        CROSS JOIN LATERAL (
            SELECT *
            FROM passkeys p
            WHERE p.scope_id = k.scope_id AND p.credential_id = k.id
            LIMIT 1
        ) AS x)");
    auto const result = co_await connection.run(pg::scopes_of(keys), sql, params);
    co_return pg::read_in_input_order(result, keys.size(), read);
}

std::optional<Passkey> find(pg::Tx& tx, core::Scope const& scope, std::string_view credential_id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM passkeys
        WHERE scope_id = $1 AND credential_id = $2)"),
        {scope.id, pg::Param::bytes(credential_id)});
    return pg::read_first(result, read);
}

std::vector<Passkey> list(pg::Tx& tx, core::Scope const& scope, UserId user_id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM passkeys
        WHERE scope_id = $1 AND user_id = $2
        ORDER BY created_at, passkey_id)"),
        {scope.id, user_id});
    return pg::read_rows(result, read);
}

bool use(pg::Tx& tx, core::Scope const& scope, core::Uuid passkey_id, webauthn::AssertionResult const& result,
    core::Time now)
{
    return tx.run(R"(
        UPDATE passkeys
        SET sign_count = $3, backed_up = $4, last_used_at = $5
        WHERE scope_id = $1 AND passkey_id = $2 AND (sign_count < $3 OR (sign_count = 0 AND $3 = 0)))",
                 {scope.id, passkey_id, static_cast<std::int64_t>(result.sign_count), result.backed_up, now})
               .affected_rows() == 1;
}

pg::Batch<bool> use_batch(pg::BatchConnection& connection, std::span<Use const> uses)
{
    std::vector<pg::Param> const params{pg::column(uses, [](Use const& u) { return u.scope_id; }),
        pg::column(uses, [](Use const& u) { return u.passkey_id; }),
        pg::column(uses, [](Use const& u) { return static_cast<std::int64_t>(u.result.sign_count); }),
        pg::column(uses, [](Use const& u) { return u.result.backed_up; }),
        pg::column(uses, [](Use const& u) { return u.now; })};
    // The rows are sorted, so that two batches lock their common passkeys in the same order.
    static constexpr char const* sql = R"(
        UPDATE passkeys p
        SET sign_count = k.sign_count, backed_up = k.backed_up, last_used_at = k.now
        FROM (
            SELECT *
            FROM unnest(
                $1::bigint[], $2::uuid[], $3::bigint[], $4::boolean[], $5::timestamptz[]
            ) WITH ORDINALITY AS x(scope_id, passkey_id, sign_count, backed_up, now, place)
            ORDER BY scope_id, passkey_id
        ) AS k
        WHERE p.scope_id = k.scope_id AND p.passkey_id = k.passkey_id
            AND (p.sign_count < k.sign_count OR (p.sign_count = 0 AND k.sign_count = 0))
        RETURNING k.place)";
    auto const result = co_await connection.run(pg::scopes_of(uses), sql, params);
    std::vector<bool> stored(uses.size());
    for (auto const& row : result)
        stored[static_cast<std::size_t>(pg::RowReader(row).integer() - 1)] = true;
    co_return stored;
}

bool remove(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Uuid passkey_id)
{
    return tx.run(R"(
        DELETE FROM passkeys
        WHERE scope_id = $1 AND user_id = $2 AND passkey_id = $3)",
                 {scope.id, user_id, passkey_id})
               .affected_rows() == 1;
}

void remove_all(pg::Tx& tx, core::Scope const& scope, UserId user_id)
{
    tx.run("DELETE FROM passkeys WHERE scope_id = $1 AND user_id = $2", {scope.id, user_id});
}

} // namespace auth_mfa::passkeys
