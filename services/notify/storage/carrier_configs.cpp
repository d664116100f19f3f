#include "storage/carrier_configs.hpp"

#include "jobs/queue.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

#include <algorithm>
#include <stdexcept>

namespace notify::carrier_configs {

namespace {

constexpr auto columns = pg::sql(R"(
    p.kind, p.project_id, p.key_id, p.team_id, p.bundle_id, p.environment, p.subject, p.public_key,
    p.updated_at, p.paused_until, p.paused_reason, p.pruning_stopped_at)");

/// The order of Carrier.
constexpr auto by_carrier = pg::sql("array_position(ARRAY['fcm', 'apns', 'webpush'], kind)");

constexpr auto sealed_columns = pg::sql(R"(
    kind, sealed_credential, updated_at, paused_until, paused_reason, pruning_stopped_at)");

CarrierConfig read(pg::RowReader& r)
{
    CarrierConfig c;
    c.carrier = r.one_of<Carrier>();
    c.shown.project_id = r.text();
    c.shown.key_id = r.text();
    c.shown.team_id = r.text();
    c.shown.bundle_id = r.text();
    c.shown.environment = r.text();
    c.shown.subject = r.optional_text();
    c.shown.public_key = r.optional_text();
    c.updated_at = r.time();
    c.paused_until = r.optional_time();
    c.paused_reason = r.optional_text();
    c.pruning_stopped_at = r.optional_time();
    return c;
}

Sealed read_sealed(pg::RowReader& r)
{
    Sealed c;
    c.carrier = r.one_of<Carrier>();
    c.credential = r.text();
    c.updated_at = r.time();
    c.paused_until = r.optional_time();
    c.paused_reason = r.optional_text();
    c.pruning_stopped_at = r.optional_time();
    return c;
}

/// Additional data of a sealed credential. The data binds the credential to its scope and carrier.
std::string aad_of(core::ScopeId scope_id, Carrier carrier)
{
    return "platforms.credential/" + core::to_string(scope_id) + '/' + std::string(to_string(carrier));
}

core::Uuid resume_ref(Carrier carrier) noexcept
{
    std::array<std::uint8_t, 16> bytes{};
    bytes.back() = static_cast<std::uint8_t>(carrier);
    return core::Uuid::from_bytes(bytes);
}

core::Secret unseal(crypto::Keyring const& keyring, core::ScopeId scope_id, Sealed const& config)
{
    auto opened = keyring.open(config.credential, aad_of(scope_id, config.carrier));
    if (!opened)
        throw std::runtime_error("a push credential cannot be decrypted: ENCRYPTION_KEYS lacks the key that "
                                 "encrypted it, or the stored value was changed");
    return core::Secret(*std::move(opened));
}

} // namespace

std::vector<CarrierConfig> list(pg::Tx& tx, core::Scope const& scope)
{
    auto const result = tx.run(pg::sql<columns, by_carrier>(R"(
        SELECT {columns}
        FROM platforms p
        WHERE p.scope_id = $1
        ORDER BY {by_carrier})"),
        {scope.id});
    return pg::read_rows(result, read);
}

std::vector<Sealed> load(pg::Tx& tx, core::ScopeId scope_id)
{
    auto const result = tx.run(pg::sql<sealed_columns, by_carrier>(R"(
        SELECT {sealed_columns}
        FROM platforms
        WHERE scope_id = $1
        ORDER BY {by_carrier})"),
        {scope_id});
    return pg::read_rows(result, read_sealed);
}

std::map<core::ScopeId, std::shared_ptr<Sealed const>> load(
    pg::Tx& tx, Carrier carrier, std::span<core::ScopeId const> scopes)
{
    auto const rows = tx.run(pg::sql<sealed_columns>(R"(
        SELECT scope_id, {sealed_columns}
        FROM platforms
        WHERE scope_id = ANY ($1::bigint[]) AND kind = $2)"),
        {scopes, to_string(carrier)});
    std::map<core::ScopeId, std::shared_ptr<Sealed const>> found;
    for (auto const& row : rows) {
        pg::RowReader r(row);
        auto const scope_id = r.scope_id();
        found.emplace(scope_id, std::make_shared<Sealed const>(read_sealed(r)));
    }
    return found;
}

Sealed const* find(std::span<Sealed const> configs, Carrier carrier) noexcept
{
    auto const it = std::ranges::find(configs, carrier, &Sealed::carrier);
    return it == configs.end() ? nullptr : &*it;
}

Credential::Ptr open(crypto::Keyring const& keyring, core::ScopeId scope_id, Sealed const& config)
{
    core::Secret const secret = unseal(keyring, scope_id, config);
    return Credential::restore(config.carrier, secret.reveal());
}

void put(pg::Tx& tx, core::Scope const& scope, Credential const& credential, crypto::Keyring const& keyring)
{
    auto const shown = credential.shown();
    std::string const sealed =
        keyring.seal(credential.to_secret().reveal(), aad_of(scope.id, credential.carrier()));
    // The new `updated_at` is later than the old value, even if the clock went back, because `updated_at`
    // distinguishes credentials.
    tx.run(R"(
        INSERT INTO platforms AS p (
            scope_id, kind, sealed_credential, project_id, key_id, team_id, bundle_id, environment,
            subject, public_key, updated_at
        )
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp())
        ON CONFLICT (scope_id, kind) DO UPDATE SET sealed_credential = excluded.sealed_credential,
            project_id = excluded.project_id, key_id = excluded.key_id, team_id = excluded.team_id,
            bundle_id = excluded.bundle_id, environment = excluded.environment,
            subject = excluded.subject, public_key = excluded.public_key,
            pruning_stopped_at = NULL,
            updated_at = greatest(excluded.updated_at, p.updated_at + interval '1 microsecond'))",
        {scope.id, to_string(credential.carrier()), sealed, shown.project_id, shown.key_id, shown.team_id,
            shown.bundle_id, shown.environment, shown.subject, shown.public_key});
}

Credential::Ptr lock_vapid(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    // The row is inserted first, so that concurrent first requests wait for each other. A row without a
    // credential exists only within this transaction.
    tx.run(R"(
        INSERT INTO platforms (
            scope_id, kind, sealed_credential, project_id, key_id, team_id, bundle_id, environment, updated_at
        )
        VALUES ($1, 'webpush', '', '', '', '', '', '', clock_timestamp())
        ON CONFLICT (scope_id, kind) DO NOTHING)",
        {scope.id});
    auto const result = tx.run(pg::sql<sealed_columns>(R"(
        SELECT {sealed_columns}
        FROM platforms
        WHERE scope_id = $1 AND kind = 'webpush'
        FOR NO KEY UPDATE)"),
        {scope.id});
    auto const locked = pg::read_first(result, read_sealed).value();
    return locked.credential.empty() ? nullptr : open(keyring, scope.id, locked);
}

std::optional<std::string> find_public_key(pg::Tx& tx, core::Scope const& scope)
{
    auto const result = tx.run(R"(
        SELECT public_key
        FROM platforms
        WHERE scope_id = $1 AND kind = 'webpush')",
        {scope.id});
    return pg::read_first(result, &pg::RowReader::text);
}

std::optional<CarrierConfig> remove(pg::Tx& tx, core::Scope const& scope, Carrier carrier)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        DELETE FROM platforms p
        WHERE p.scope_id = $1 AND p.kind = $2
        RETURNING {columns})"),
        {scope.id, to_string(carrier)});
    return pg::read_first(result, read);
}

std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    auto const result = tx.run(pg::sql<sealed_columns>(R"(
        SELECT {sealed_columns}
        FROM platforms
        WHERE scope_id = $1
        ORDER BY kind
        FOR NO KEY UPDATE)"),
        {scope.id});
    std::size_t changed = 0;
    for (auto const& config : pg::read_rows(result, read_sealed)) {
        if (keyring.is_current(config.credential)) continue;
        core::Secret const secret = unseal(keyring, scope.id, config);
        tx.run("UPDATE platforms SET sealed_credential = $3 WHERE scope_id = $1 AND kind = $2",
            {scope.id, to_string(config.carrier),
                keyring.seal(secret.reveal(), aad_of(scope.id, config.carrier))});
        ++changed;
    }
    return changed;
}

bool pause(pg::Tx& tx, core::ScopeId scope_id, Carrier carrier, core::Time seen, std::string_view reason,
    core::Time now, core::Time until)
{
    auto const paused = tx.run(R"(
        UPDATE platforms
        SET paused_until = CASE WHEN paused_until > $4 THEN paused_until ELSE $5 END,
            paused_reason = CASE WHEN paused_until > $4 THEN paused_reason ELSE $6 END
        WHERE scope_id = $1 AND kind = $2 AND updated_at = $3
        RETURNING 1)",
        {scope_id, to_string(carrier), seen, now, until, reason});
    return !paused.empty();
}

bool lock_paused(pg::Tx& tx, core::ScopeId scope_id, Carrier carrier, core::Time seen, core::Time now)
{
    auto const paused = tx.run(R"(
        SELECT
        FROM platforms
        WHERE scope_id = $1 AND kind = $2 AND updated_at = $3 AND paused_until > $4
        FOR SHARE)",
        {scope_id, to_string(carrier), seen, now});
    return !paused.empty();
}

void end_pause(pg::Tx& tx, core::ScopeId scope_id, Carrier carrier)
{
    tx.run(R"(
        UPDATE platforms
        SET paused_until = NULL, paused_reason = NULL
        WHERE scope_id = $1 AND kind = $2 AND paused_until IS NOT NULL)",
        {scope_id, to_string(carrier)});
    jobs::enqueue(tx, resume_queue, scope_id, resume_ref(carrier));
}

Carrier resumed_carrier(core::Uuid const& ref) noexcept
{
    return static_cast<Carrier>(ref.bytes().back());
}

void stop_pruning(pg::Tx& tx, core::ScopeId scope_id, Carrier carrier, core::Time seen, core::Time now)
{
    tx.run(R"(
        UPDATE platforms
        SET pruning_stopped_at = $4
        WHERE scope_id = $1 AND kind = $2 AND updated_at = $3 AND pruning_stopped_at IS NULL)",
        {scope_id, to_string(carrier), seen, now});
}

} // namespace notify::carrier_configs
