#include "storage/signing_keys.hpp"

#include "domain/session.hpp"
#include "pg/row.hpp"

#include <boost/json/serialize.hpp>

#include <stdexcept>

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

void insert(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now, core::Time signs_from)
{
    auto const key = crypto::SigningKey::generate();
    std::string const kid = key.thumbprint();
    tx.run(R"(
        INSERT INTO signing_keys (kid, sealed_key, public_jwk, created_at, signs_from)
        VALUES ($1, $2, $3, $4, $5))",
        {kid, keyring.seal(key.to_pem().reveal(), aad_of(kid)), boost::json::serialize(key.public_jwk(kid)),
            now, signs_from});
}

} // namespace

std::vector<SigningKey> list(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now)
{
    auto const result = tx.run(R"(
        SELECT kid, sealed_key, public_jwk, signs_from, retired_at
        FROM signing_keys
        WHERE retired_at IS NULL OR retired_at > $1
        ORDER BY signs_from, kid)",
        {now - published_after});
    return pg::read_rows(result, [&](pg::RowReader& r) {
        std::string kid = r.text();
        auto key = crypto::SigningKey::from_pem(open(keyring, kid, r.view()));
        return SigningKey{std::move(kid), std::move(key), r.text(), r.time(), r.optional_time()};
    });
}

void rotate(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now, core::Time signs_from)
{
    take_turn(tx);
    tx.run("DELETE FROM signing_keys WHERE retired_at < $1", {now - published_after});
    tx.run("UPDATE signing_keys SET retired_at = least(retired_at, $1)", {signs_from});
    insert(tx, keyring, now, signs_from);
}

void make_first(pg::Tx& tx, crypto::Keyring const& keyring, core::Time now)
{
    take_turn(tx);
    if (tx.run("SELECT FROM signing_keys WHERE retired_at IS NULL LIMIT 1").empty())
        insert(tx, keyring, now, now);
}

std::size_t reencrypt(pg::Tx& tx, crypto::Keyring const& keyring)
{
    take_turn(tx);
    std::size_t changed = 0;
    for (auto const& row : tx.run("SELECT kid, sealed_key FROM signing_keys")) {
        pg::RowReader r(row);
        std::string const kid = r.text();
        std::string const sealed = r.text();
        if (keyring.is_current(sealed)) continue;
        tx.run("UPDATE signing_keys SET sealed_key = $2 WHERE kid = $1",
            {kid, keyring.seal(open(keyring, kid, sealed), aad_of(kid))});
        ++changed;
    }
    return changed;
}

} // namespace auth_mfa::signing_keys
