#include "tokens/signing_key_cache.hpp"

#include "pg/database.hpp"

#include <algorithm>
#include <utility>

namespace auth_mfa {

namespace {

std::string key_set_of(std::vector<signing_keys::SigningKey> const& keys)
{
    std::string json = R"({"keys":[)";
    for (auto const& key : keys) {
        if (json.back() != '[') json += ',';
        json += key.public_jwk;
    }
    return json + "]}";
}

} // namespace

std::string SigningKeyCache::load(pg::Database& database, crypto::Keyring const& keyring)
{
    auto const read = [&] {
        return database.transact_blocking(
            pg::Scopes(), [&](pg::Tx& tx) { return signing_keys::list(tx, keyring, clock_.now()); });
    };
    auto found = read();
    auto const has = [&](crypto::SignatureAlgorithm algorithm) {
        return std::ranges::any_of(
            found, [&](auto const& key) { return key.algorithm() == algorithm && !key.retired_at; });
    };
    if (!has(crypto::SignatureAlgorithm::es256) || !has(crypto::SignatureAlgorithm::rs256)) {
        database.transact_blocking(
            pg::Scopes(), [&](pg::Tx& tx) { signing_keys::make_first(tx, keyring, clock_.now()); });
        found = read();
    }
    std::string json = key_set_of(found);
    std::vector<std::shared_ptr<signing_keys::SigningKey const>> keys;
    for (auto& key : found)
        keys.push_back(std::make_shared<signing_keys::SigningKey const>(std::move(key)));
    std::lock_guard const lock(mutex_);
    keys_ = std::move(keys);
    jwks_ = json;
    return json;
}

std::shared_ptr<signing_keys::SigningKey const> SigningKeyCache::current(
    crypto::SignatureAlgorithm algorithm) const
{
    core::Time const now = clock_.now();
    std::lock_guard const lock(mutex_);
    auto const retired = [now](auto const& key) { return key->retired_at && *key->retired_at <= now; };
    std::shared_ptr<signing_keys::SigningKey const> chosen;
    for (auto const& key : keys_) {
        // If no key has reached `signs_from`, the first key signs. In this case the clock of the replica that
        // created this key is ahead of this replica's clock.
        if (key->algorithm() == algorithm && !retired(key) && (!chosen || key->signs_from <= now))
            chosen = key;
    }
    return chosen;
}

std::string SigningKeyCache::jwks() const
{
    std::lock_guard const lock(mutex_);
    return jwks_;
}

} // namespace auth_mfa
