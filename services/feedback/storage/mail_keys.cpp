#include "storage/mail_keys.hpp"

#include "crypto/random.hpp"
#include "pg/row.hpp"

#include <stdexcept>
#include <string>

namespace feedback::mail_keys {

namespace {

std::string aad_of(core::ScopeId scope_id)
{
    return "mail_keys:" + core::to_string(scope_id);
}

std::runtime_error undecryptable()
{
    return std::runtime_error(std::string(undecryptable_reason));
}

pg::Rows select(pg::Tx& tx, std::span<core::ScopeId const> scope_ids)
{
    return tx.run("SELECT scope_id, sealed FROM mail_keys WHERE scope_id = ANY ($1::bigint[])", {scope_ids});
}

std::map<core::ScopeId, MailKey> read(pg::Rows const& rows, crypto::Keyring const& keyring)
{
    std::map<core::ScopeId, MailKey> keys;
    for (auto const& row : rows) {
        pg::RowReader r(row);
        auto const scope_id = r.scope_id();
        if (auto opened = keyring.open(r.view(), aad_of(scope_id)))
            keys.emplace(scope_id, core::Secret(*std::move(opened)));
    }
    return keys;
}

} // namespace

std::optional<MailKey> find(pg::Tx& tx, core::ScopeId scope_id, crypto::Keyring const& keyring)
{
    auto const rows = select(tx, {&scope_id, 1});
    if (rows.empty()) return std::nullopt;
    auto const keys = read(rows, keyring);
    if (keys.empty()) throw undecryptable();
    return keys.begin()->second;
}

std::map<core::ScopeId, MailKey> ensure(
    pg::Tx& tx, std::span<core::ScopeId const> scope_ids, crypto::Keyring const& keyring)
{
    auto keys = read(select(tx, scope_ids), keyring);
    bool added = false;
    for (auto const scope_id : scope_ids) {
        if (keys.contains(scope_id)) continue;
        tx.run("INSERT INTO mail_keys (scope_id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            {scope_id, keyring.seal(crypto::random_bytes(MailKey::size), aad_of(scope_id))});
        added = true;
    }
    return added ? read(select(tx, scope_ids), keyring) : keys;
}

std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    auto const rows = tx.run(R"(
        SELECT sealed
        FROM mail_keys
        WHERE scope_id = $1
        FOR UPDATE)",
        {scope.id});
    auto const sealed = pg::read_first(rows, &pg::RowReader::text);
    if (!sealed || keyring.is_current(*sealed)) return 0;
    auto const opened = keyring.open(*sealed, aad_of(scope.id));
    if (!opened) throw undecryptable();
    tx.run("UPDATE mail_keys SET sealed = $2 WHERE scope_id = $1",
        {scope.id, keyring.seal(*opened, aad_of(scope.id))});
    return 1;
}

} // namespace feedback::mail_keys
