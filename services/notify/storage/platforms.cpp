#include "storage/platforms.hpp"

#include "pg/row.hpp"

#include <stdexcept>

namespace notify::platforms {

namespace {

#define PLATFORM_COLUMNS                                                                                     \
    "p.kind, p.project_id, p.key_id, p.team_id, p.bundle_id, p.environment, p.updated_at, p.paused_until, "  \
    "p.paused_reason, p.pruning_stopped_at"

#define SEALED_COLUMNS "kind, sealed_credential, updated_at, paused_until, paused_reason, pruning_stopped_at"

Platform read(pg::RowReader& r)
{
    Platform p;
    p.kind = parse_platform_kind(r.view());
    p.shown.project_id = r.text();
    p.shown.key_id = r.text();
    p.shown.team_id = r.text();
    p.shown.bundle_id = r.text();
    p.shown.environment = r.text();
    p.updated_at = r.time();
    p.paused_until = r.optional_time();
    p.paused_reason = r.optional_text();
    p.pruning_stopped_at = r.optional_time();
    return p;
}

Sealed read_sealed(pg::RowReader& r)
{
    Sealed p;
    p.kind = parse_platform_kind(r.view());
    p.credential = r.text();
    p.updated_at = r.time();
    p.paused_until = r.optional_time();
    p.paused_reason = r.optional_text();
    p.pruning_stopped_at = r.optional_time();
    return p;
}

/// Additional data of a sealed credential. The data binds the credential to its scope and kind.
std::string aad_of(std::int64_t scope_id, PlatformKind kind)
{
    return "platforms.credential/" + std::to_string(scope_id) + '/' + std::string(to_string(kind));
}

core::Secret unseal(crypto::Keyring const& keyring, std::int64_t scope_id, Sealed const& platform)
{
    auto opened = keyring.open(platform.credential, aad_of(scope_id, platform.kind));
    if (!opened)
        throw std::runtime_error("a push credential cannot be decrypted: ENCRYPTION_KEYS lacks the key that "
                                 "encrypted it, or the stored value was changed");
    return core::Secret(*std::move(opened));
}

} // namespace

std::vector<Platform> list(pg::Tx& tx, core::Scope const& scope)
{
    auto const result =
        tx.run("SELECT " PLATFORM_COLUMNS " FROM platforms p WHERE p.scope_id = $1 ORDER BY p.kind DESC",
            {scope.id});
    return pg::read_rows(result, read);
}

std::vector<Sealed> load(pg::Tx& tx, std::int64_t scope_id)
{
    auto const result =
        tx.run("SELECT " SEALED_COLUMNS " FROM platforms WHERE scope_id = $1 ORDER BY kind DESC", {scope_id});
    return pg::read_rows(result, read_sealed);
}

Credential::Ptr open(crypto::Keyring const& keyring, std::int64_t scope_id, Sealed const& platform)
{
    core::Secret const secret = unseal(keyring, scope_id, platform);
    return Credential::restore(platform.kind, secret.reveal());
}

void put(pg::Tx& tx, core::Scope const& scope, Credential const& credential, crypto::Keyring const& keyring)
{
    auto const shown = credential.shown();
    std::string const sealed =
        keyring.seal(credential.to_secret().reveal(), aad_of(scope.id, credential.kind()));
    // The new `updated_at` is later than the old one, even if the clock went back, because `updated_at`
    // distinguishes credentials.
    tx.run("INSERT INTO platforms AS p (scope_id, kind, sealed_credential, project_id, key_id, team_id, "
           "bundle_id, environment, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp()) "
           "ON CONFLICT (scope_id, kind) DO UPDATE SET sealed_credential = excluded.sealed_credential, "
           "project_id = excluded.project_id, key_id = excluded.key_id, team_id = excluded.team_id, "
           "bundle_id = excluded.bundle_id, environment = excluded.environment, pruning_stopped_at = NULL, "
           "updated_at = greatest(excluded.updated_at, p.updated_at + interval '1 microsecond')",
        {scope.id, to_string(credential.kind()), sealed, shown.project_id, shown.key_id, shown.team_id,
            shown.bundle_id, shown.environment});
}

std::optional<Platform> remove(pg::Tx& tx, core::Scope const& scope, PlatformKind kind)
{
    auto const result =
        tx.run("DELETE FROM platforms p WHERE p.scope_id = $1 AND p.kind = $2 RETURNING " PLATFORM_COLUMNS,
            {scope.id, to_string(kind)});
    return pg::read_first(result, read);
}

std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    auto const result =
        tx.run("SELECT " SEALED_COLUMNS " FROM platforms WHERE scope_id = $1 ORDER BY kind FOR NO KEY UPDATE",
            {scope.id});
    std::size_t changed = 0;
    for (auto const& platform : pg::read_rows(result, read_sealed)) {
        if (keyring.is_current(platform.credential)) continue;
        core::Secret const secret = unseal(keyring, scope.id, platform);
        tx.run("UPDATE platforms SET sealed_credential = $3 WHERE scope_id = $1 AND kind = $2",
            {scope.id, to_string(platform.kind),
                keyring.seal(secret.reveal(), aad_of(scope.id, platform.kind))});
        ++changed;
    }
    return changed;
}

} // namespace notify::platforms
