#include "storage/clients.hpp"

#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/sessions.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace auth_mfa::clients {

namespace {

constexpr auto columns = pg::sql(R"(
    client_id, name, type, redirect_uris, post_logout_redirect_uris, backchannel_logout_uri,
    id_token_signing_alg, jwks::text, secret_hash, old_secret_hash, old_secret_until, created_at, updated_at)");

/// The id in `position_of`.
constexpr auto place = pg::sql("substr(encode(sha256(convert_to(client_id, 'UTF8')), 'hex'), 1, 32)::uuid");

std::optional<crypto::Digest> optional_digest(pg::RowReader& r)
{
    if (r.is_null()) {
        r.skip();
        return std::nullopt;
    }
    std::string const bytes = r.bytes();
    crypto::Digest digest{};
    if (bytes.size() != digest.size()) throw std::runtime_error("a stored hash has the wrong length");
    std::ranges::copy(bytes, digest.begin());
    return digest;
}

pg::Param bytes_of(std::optional<crypto::Digest> const& digest)
{
    return digest ? pg::Param::bytes(crypto::view(*digest)) : pg::Param(nullptr);
}

Client read(pg::RowReader& r)
{
    Client client;
    client.id = r.text();
    client.name = r.text();
    client.type = r.one_of<ClientType>();
    client.redirect_uris = r.texts();
    client.post_logout_redirect_uris = r.texts();
    client.backchannel_logout_uri = r.optional_text();
    client.id_token_alg = r.one_of<crypto::SignatureAlgorithm>();
    client.jwks = r.optional_text();
    client.secret_hash = optional_digest(r);
    client.old_secret_hash = optional_digest(r);
    client.old_secret_until = r.optional_time();
    client.created_at = r.time();
    client.updated_at = r.time();
    return client;
}

} // namespace

bool insert(pg::Tx& tx, core::Scope const& scope, Client const& client)
{
    auto const result = tx.run(R"(
        INSERT INTO clients (
            scope_id, client_id, name, type, redirect_uris, post_logout_redirect_uris,
            backchannel_logout_uri, id_token_signing_alg, jwks, secret_hash, old_secret_hash,
            old_secret_until, created_at, updated_at
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
        ON CONFLICT (scope_id, client_id) DO NOTHING)",
        {scope.id, client.id, client.name, to_string(client.type), client.redirect_uris,
            client.post_logout_redirect_uris, client.backchannel_logout_uri,
            core::to_string(client.id_token_alg), client.jwks, bytes_of(client.secret_hash),
            bytes_of(client.old_secret_hash), client.old_secret_until, client.created_at, client.updated_at});
    return result.affected_rows() == 1;
}

std::optional<Client> find(pg::Tx& tx, core::Scope const& scope, std::string_view client_id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM clients
        WHERE scope_id = $1 AND client_id = $2)"),
        {scope.id, client_id});
    return pg::read_first(result, read);
}

std::optional<Client> lock(pg::Tx& tx, core::Scope const& scope, std::string_view client_id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM clients
        WHERE scope_id = $1 AND client_id = $2
        FOR NO KEY UPDATE)"),
        {scope.id, client_id});
    return pg::read_first(result, read);
}

pg::Batch<std::optional<Client>> find_batch(pg::BatchConnection& connection, std::span<Key const> keys)
{
    std::vector<pg::Param> const params{pg::column(keys, [](Key const& k) { return k.scope_id; }),
        pg::column(keys, [](Key const& k) { return std::string_view(k.client_id); })};
    static constexpr auto sql = pg::sql<columns>(R"(
        SELECT k.place, {columns}
        FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS k(scope_id, id, place)
        CROSS JOIN LATERAL (
            SELECT *
            FROM clients c
            WHERE c.scope_id = k.scope_id AND c.client_id = k.id
            LIMIT 1
        ) AS x)");
    auto const result = co_await connection.run(pg::scopes_of(keys), sql, params);
    co_return pg::read_in_input_order(result, keys.size(), read);
}

void update(pg::Tx& tx, core::Scope const& scope, Client const& client)
{
    tx.run(R"(
        UPDATE clients
        SET name = $3, type = $4, redirect_uris = $5, post_logout_redirect_uris = $6,
            backchannel_logout_uri = $7, id_token_signing_alg = $8, jwks = $9, secret_hash = $10,
            old_secret_hash = $11, old_secret_until = $12, updated_at = $13
        WHERE scope_id = $1 AND client_id = $2)",
        {scope.id, client.id, client.name, to_string(client.type), client.redirect_uris,
            client.post_logout_redirect_uris, client.backchannel_logout_uri,
            core::to_string(client.id_token_alg), client.jwks, bytes_of(client.secret_hash),
            bytes_of(client.old_secret_hash), client.old_secret_until, client.updated_at});
}

bool remove(pg::Tx& tx, core::Scope const& scope, std::string_view client_id, core::Time now)
{
    if (!lock(tx, scope, client_id)) return false;
    // The codes first: a code that is being redeemed is locked, and its session is visible afterwards.
    tx.run("DELETE FROM authorization_codes WHERE scope_id = $1 AND client_id = $2", {scope.id, client_id});
    sessions::end_of_client(tx, scope, client_id, now);
    tx.run("DELETE FROM clients WHERE scope_id = $1 AND client_id = $2", {scope.id, client_id});
    return true;
}

paging::Position position_of(Client const& client)
{
    auto const digest = crypto::sha256(client.id);
    std::array<std::uint8_t, 16> half{};
    std::copy_n(digest.begin(), half.size(), half.begin());
    return {client.created_at, core::Uuid::from_bytes(half)};
}

std::vector<Client> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(pg::sql<columns, place, place>(R"(
        SELECT {columns}
        FROM clients
        WHERE scope_id = $1 AND (created_at, {place}) < ($2::timestamptz, $3::uuid)
        ORDER BY created_at DESC, {place} DESC
        LIMIT $4)"),
        {scope.id, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

std::map<std::string, std::string> names(
    pg::Tx& tx, core::Scope const& scope, std::vector<std::string> const& client_ids)
{
    auto const result =
        tx.run("SELECT client_id, name FROM clients WHERE scope_id = $1 AND client_id = ANY($2::text[])",
            {scope.id, client_ids});
    std::map<std::string, std::string> found;
    for (auto const& row : result) {
        pg::RowReader r(row);
        auto id = r.text();
        found.emplace(std::move(id), r.text());
    }
    return found;
}

std::size_t count(pg::Tx& tx, core::Scope const& scope)
{
    auto const result = tx.run("SELECT count(*) FROM clients WHERE scope_id = $1", {scope.id});
    return static_cast<std::size_t>(pg::RowReader(result[0]).integer());
}

} // namespace auth_mfa::clients
