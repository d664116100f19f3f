#include "storage/trusted_devices.hpp"

#include "domain/limits.hpp"
#include "pg/row.hpp"
#include "storage/purge.hpp"

namespace auth_mfa::trusted_devices {

namespace {

TrustedDevice read(pg::RowReader& r)
{
    TrustedDevice device;
    device.id = r.uuid();
    device.created_at = r.time();
    device.last_used_at = r.time();
    device.expires_at = r.time();
    device.user_agent = r.text();
    return device;
}

} // namespace

// The functions compare a hash over 256 random bits, so their duration reveals nothing about the secret.

bool is_trusted(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, DeviceToken const& token, core::Time now)
{
    return !tx.run(R"(
        SELECT 1
        FROM trusted_devices
        WHERE scope_id = $1 AND user_id = $2 AND device_id = $3 AND secret_hash = $4 AND expires_at > $5)",
                  {scope.id, user_id, token.id, token.hash(scope), now})
                .empty();
}

bool recognise(pg::Tx& tx, core::Scope const& scope, UserId user_id, DeviceToken const& token, core::Time now)
{
    return !tx.run(R"(
        UPDATE trusted_devices
        SET last_used_at = $5
        WHERE scope_id = $1 AND user_id = $2 AND device_id = $3 AND secret_hash = $4 AND expires_at > $5
        RETURNING 1)",
                  {scope.id, user_id, token.id, token.hash(scope), now})
                .empty();
}

void trust(pg::Tx& tx, core::Scope const& scope, UserId user_id, DeviceToken const& fresh,
    std::optional<DeviceToken> const& held, std::string const& user_agent, core::Time now)
{
    std::string const hash = fresh.hash(scope);
    if (held) {
        std::string const held_hash = held->hash(scope);
        tx.run(R"(
            DELETE FROM trusted_devices
            WHERE scope_id = $1 AND device_id = $2 AND secret_hash = $3
                AND (user_id = $4 OR expires_at <= $5))",
            {scope.id, held->id, held_hash, user_id, now});
        tx.run(R"(
            UPDATE trusted_devices
            SET device_id = $4, secret_hash = $5
            WHERE scope_id = $1 AND device_id = $2 AND secret_hash = $3)",
            {scope.id, held->id, held_hash, fresh.id, hash});
    }
    // Lists are ordered by creation time, and the clocks of replicas differ. So the creation time is set
    // later than the creation time of the user's last device, and no list cursor can miss a device. The last
    // device cannot change while the user is locked.
    tx.run(
        R"(
        INSERT INTO trusted_devices (
            scope_id, user_id, device_id, secret_hash, created_at, last_used_at, expires_at, user_agent
        )
        SELECT $1::bigint, $2::uuid, $3::uuid, $4::text,
            greatest(
                $5::timestamptz,
                (
                    SELECT max(created_at) + interval '1 microsecond'
                    FROM trusted_devices
                    WHERE scope_id = $1 AND user_id = $2
                )
            ),
            $5, $6::timestamptz, $7::text)",
        {scope.id, user_id, fresh.id, hash, now, now + trusted_device_lifetime, user_agent});
}

std::vector<TrustedDevice> list(pg::Tx& tx, core::Scope const& scope, UserId user_id,
    std::optional<core::Time> trusted_at, std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(R"(
        SELECT device_id, created_at, last_used_at, expires_at, user_agent
        FROM trusted_devices
        WHERE scope_id = $1 AND user_id = $2 AND ($3::timestamptz IS NULL OR expires_at > $3)
            AND (created_at, device_id) < ($4::timestamptz, $5::uuid)
        ORDER BY created_at DESC, device_id DESC
        LIMIT $6::bigint)",
        {scope.id, user_id, trusted_at, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

bool revoke(pg::Tx& tx, core::Scope const& scope, UserId user_id, core::Uuid device_id, core::Time now)
{
    return !tx.run(R"(
        DELETE FROM trusted_devices
        WHERE scope_id = $1 AND user_id = $2 AND device_id = $3 AND expires_at > $4
        RETURNING 1)",
                  {scope.id, user_id, device_id, now})
                .empty();
}

void revoke_all(pg::Tx& tx, core::Scope const& scope, UserId user_id)
{
    tx.run("DELETE FROM trusted_devices WHERE scope_id = $1 AND user_id = $2", {scope.id, user_id});
}

std::size_t purge(pg::Tx& tx, std::vector<core::ScopeId> const& scopes, core::Time before, std::size_t limit)
{
    return auth_mfa::purge(tx, {"trusted_devices"}, scopes, before, limit);
}

} // namespace auth_mfa::trusted_devices
