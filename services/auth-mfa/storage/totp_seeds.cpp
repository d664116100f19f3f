#include "storage/totp_seeds.hpp"

#include "pg/row.hpp"

#include <stdexcept>

namespace auth_mfa::totp_seeds {

namespace {

std::string aad(core::ScopeId scope_id, UserId user_id)
{
    return "totp.seed:" + core::to_string(scope_id) + ':' + user_id.to_string();
}

TotpSeed read(pg::RowReader& r)
{
    TotpSeed seed;
    seed.sealed_seed = r.text();
    seed.confirmed = r.boolean();
    seed.last_step = r.integer();
    return seed;
}

} // namespace

std::string seal(
    crypto::Keyring const& keyring, core::Scope const& scope, UserId user_id, std::string const& seed)
{
    return keyring.seal(seed, aad(scope.id, user_id));
}

std::string open(
    crypto::Keyring const& keyring, core::Scope const& scope, UserId user_id, std::string const& sealed_seed)
{
    auto seed = keyring.open(sealed_seed, aad(scope.id, user_id));
    if (!seed)
        throw std::runtime_error(
            "a TOTP seed cannot be decrypted: ENCRYPTION_KEYS lacks the encryption key, or the "
            "stored value was changed");
    return std::move(*seed);
}

std::optional<TotpSeed> find(pg::Tx& tx, core::Scope const& scope, UserId user_id)
{
    auto const result = tx.run(R"(
        SELECT sealed_seed, confirmed_at IS NOT NULL, last_step
        FROM totp
        WHERE scope_id = $1 AND user_id = $2)",
        {scope.id, user_id});
    return pg::read_first(result, read);
}

bool set_up(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::string const& sealed_seed, core::Time now)
{
    return !tx.run(R"(
        INSERT INTO totp (scope_id, user_id, sealed_seed, created_at)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (scope_id, user_id) DO UPDATE SET sealed_seed = excluded.sealed_seed,
            created_at = excluded.created_at
        WHERE totp.confirmed_at IS NULL
        RETURNING 1)",
                  {scope.id, user_id, sealed_seed, now})
                .empty();
}

bool confirm(pg::Tx& tx, core::Scope const& scope, UserId user_id, std::string const& sealed_seed,
    std::int64_t step, core::Time now)
{
    return !tx.run(R"(
        UPDATE totp
        SET confirmed_at = $5, last_step = $4
        WHERE scope_id = $1 AND user_id = $2 AND sealed_seed = $3 AND confirmed_at IS NULL
        RETURNING 1)",
                  {scope.id, user_id, sealed_seed, step, now})
                .empty();
}

bool use(pg::Tx& tx, core::Scope const& scope, UserId user_id, std::int64_t step)
{
    return !tx.run(R"(
        UPDATE totp
        SET last_step = $3
        WHERE scope_id = $1 AND user_id = $2 AND last_step < $3 AND confirmed_at IS NOT NULL
        RETURNING 1)",
                  {scope.id, user_id, step})
                .empty();
}

void remove(pg::Tx& tx, core::Scope const& scope, UserId user_id)
{
    tx.run("DELETE FROM totp WHERE scope_id = $1 AND user_id = $2", {scope.id, user_id});
}

std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    std::size_t changed = 0;
    auto const result =
        tx.run("SELECT user_id, sealed_seed FROM totp WHERE scope_id = $1 FOR UPDATE", {scope.id});
    for (auto const& row : result) {
        pg::RowReader r(row);
        UserId const user_id(r.uuid());
        std::string const sealed = r.text();
        if (keyring.is_current(sealed)) continue;
        tx.run("UPDATE totp SET sealed_seed = $3 WHERE scope_id = $1 AND user_id = $2",
            {scope.id, user_id, seal(keyring, scope, user_id, open(keyring, scope, user_id, sealed))});
        ++changed;
    }
    return changed;
}

} // namespace auth_mfa::totp_seeds
