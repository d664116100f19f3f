#include "storage/signing_keys.hpp"

#include "domain/session.hpp"
#include "pg/row.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace auth_mfa::signing_keys {

namespace {

/// How long the public key stays published after its retirement: the lifetime of its tokens, plus time for
/// the verifiers' clock skew and for replicas that read the new key late.
constexpr std::chrono::seconds published_after = access_token_lifetime + std::chrono::minutes(5);

/// Additional data of the sealed key: it binds the key to its id.
std::string aad_of(std::string_view kid)
{
    return "signing_key:" + std::string(kid);
}

std::string open(crypto::Keyring const& keyring, std::string_view kid, std::string_view sealed)
{
    auto pem = keyring.open(sealed, aad_of(kid));
    if (!pem)
        throw std::runtime_error(
            "a signing key cannot be decrypted: ENCRYPTION_KEYS lacks the encryption key, or the "
            "stored value was changed");
    return *std::move(pem);
}

/// Serialises the transactions that create or change keys.
void take_turn(pg::Tx& tx)
{
    tx.run("SELECT pg_advisory_xact_lock(hashtextextended('auth_mfa.signing_keys', 0))");
}

/// The tables of the two kinds of keys: ES256 for the tokens that services verify, RS256 for id tokens.
/// Earlier versions, which may run beside this one, read every key of `signing_keys` as an ES256 key.
constexpr char const *ecdsa_table = "signing_keys", *rsa_table = "rsa_signing_keys";
constexpr std::array tables{ecdsa_table, rsa_table};

template <class Key>
void insert(pg::Tx& tx, std::string const& table, crypto::Keyring const& keyring, core::Time now,
    core::Time signs_from)
{
    auto const key = Key::generate();
    std::string const kid = key.thumbprint();
    tx.run("INSERT INTO " + table +
               " (kid, sealed_key, public_jwk, created_at, signs_from) VALUES ($1, $2, $3, $4, $5)",
        {kid, keyring.seal(key.to_pem().reveal(), aad_of(kid)), boost::json::serialize(key.public_jwk(kid)),
            now, signs_from});
}

/// Inserts a new key of the table's kind.
void insert(pg::Tx& tx, std::string const& table, crypto::Keyring const& keyring, core::Time now,
    core::Time signs_from)
{
    if (table == rsa_table)
        insert<crypto::RsaSigningKey>(tx, table, keyring, now, signs_from);
    else
        insert<crypto::SigningKey>(tx, table, keyring, now, signs_from);
}

SigningKey read(pg::RowReader& r, crypto::Keyring const& keyring)
{
    bool const is_rsa = r.boolean();
    std::string kid = r.text();
    auto const pem = open(keyring, kid, r.view());
    auto key = is_rsa ? decltype(SigningKey::key)(crypto::RsaSigningKey::from_pem(pem))
                      : crypto::SigningKey::from_pem(pem);
    return {std::move(kid), std::move(key), r.text(), r.time(), r.optional_time()};
}

std::size_t reencrypt(pg::Tx& tx, std::string const& table, crypto::Keyring const& keyring)
{
    std::size_t changed = 0;
    for (auto const& row : tx.run("SELECT kid, sealed_key FROM " + table)) {
        pg::RowReader r(row);
        std::string const kid = r.text();
        std::string const sealed = r.text();
        if (keyring.is_current(sealed)) continue;
        tx.run("UPDATE " + table + " SET sealed_key = $2 WHERE kid = $1",
            {kid, keyring.seal(open(keyring, kid, sealed), aad_of(kid))});
        ++changed;
    }
    return changed;
}

} // namespace

std::string SigningKey::sign(boost::json::object header, boost::json::object const& payload) const
{
    header["kid"] = kid;
    return std::visit([&](auto const& k) { return k.sign(std::move(header), payload); }, key);
}

std::vector<SigningKey> list(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now)
{
    auto const result = tx.run(R"(
        SELECT k.is_rsa, k.kid, k.sealed_key, k.public_jwk, k.signs_from, k.retired_at
        FROM (
            SELECT false AS is_rsa, kid, sealed_key, public_jwk, signs_from, retired_at
            FROM signing_keys
            UNION ALL
            SELECT true, kid, sealed_key, public_jwk, signs_from, retired_at
            FROM rsa_signing_keys
        ) AS k
        WHERE k.retired_at IS NULL OR k.retired_at > $1
        ORDER BY k.is_rsa, k.signs_from, k.kid)",
        {now - published_after});
    return pg::read_rows(result, [&](pg::RowReader& r) { return read(r, keyring); });
}

void rotate(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now, core::Time signs_from)
{
    take_turn(tx);
    for (std::string const table : tables) {
        tx.run("DELETE FROM " + table + " WHERE retired_at < $1", {now - published_after});
        tx.run("UPDATE " + table + " SET retired_at = least(retired_at, $1)", {signs_from});
        insert(tx, table, keyring, now, signs_from);
    }
}

void make_first(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now)
{
    take_turn(tx);
    for (std::string const table : tables) {
        auto const found = tx.run("SELECT FROM " + table + " WHERE retired_at IS NULL LIMIT 1");
        if (found.empty()) insert(tx, table, keyring, now, now);
    }
}

std::size_t reencrypt(pg::Tx& tx, crypto::Keyring const& keyring)
{
    take_turn(tx);
    std::size_t changed = 0;
    for (std::string const table : tables)
        changed += reencrypt(tx, table, keyring);
    return changed;
}

} // namespace auth_mfa::signing_keys
