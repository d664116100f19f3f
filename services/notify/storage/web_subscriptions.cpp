#include "storage/web_subscriptions.hpp"

#include "pg/row.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace notify::web_subscriptions {

namespace {

constexpr std::size_t page_size = 1'000;

/// Additional data of a sealed subscription.
std::string aad_of(core::ScopeId scope_id, std::string_view token)
{
    return "devices.web_subscription/" + core::to_string(scope_id) + '/' + std::string(token);
}

struct Row {
    std::int64_t device_id = 0;
    std::string token, sealed;
};

std::vector<Row> page_after(pg::Tx& tx, core::Scope const& scope, std::int64_t device_id)
{
    auto const result = tx.run(R"(
        SELECT device_id, token, web_subscription
        FROM devices
        WHERE scope_id = $1 AND device_id > $2::bigint AND web_subscription IS NOT NULL
        ORDER BY device_id
        LIMIT $3::bigint)",
        {scope.id, device_id, page_size});
    return pg::read_rows(result, [](pg::RowReader& r) {
        Row row;
        row.device_id = r.integer();
        row.token = r.text();
        row.sealed = r.text();
        return row;
    });
}

/// Seals the value again. Throws std::runtime_error if no key of the ring decrypts it.
void renew(Row& row, core::Scope const& scope, crypto::Keyring const& keyring)
{
    auto const aad = aad_of(scope.id, row.token);
    auto opened = keyring.open(row.sealed, aad);
    if (!opened)
        throw std::runtime_error("a web push subscription cannot be decrypted: ENCRYPTION_KEYS lacks the key "
                                 "that encrypted it, or the stored value was changed");
    core::Secret const secret(*std::move(opened));
    row.sealed = keyring.seal(secret.reveal(), aad);
}

void write(pg::Tx& tx, core::Scope const& scope, std::span<Row const> rows)
{
    tx.run(R"(
        UPDATE devices d
        SET web_subscription = u.sealed
        FROM unnest($2::bigint[], $3::text[]) AS u(device_id, sealed)
        WHERE d.scope_id = $1 AND d.device_id = u.device_id)",
        {scope.id, pg::column(rows, [](Row const& row) { return row.device_id; }),
            pg::column(rows, [](Row const& row) { return std::string_view(row.sealed); })});
}

} // namespace

std::string seal(crypto::Keyring const& keyring, core::ScopeId scope_id, WebSubscription const& subscription)
{
    return keyring.seal(
        subscription.to_secret().reveal(), aad_of(scope_id, web_token(subscription.endpoint)));
}

std::shared_ptr<WebSubscription const> open(
    crypto::Keyring const& keyring, core::ScopeId scope_id, std::string_view token, Stored const& stored)
{
    if (!stored.sealed) return nullptr;
    auto opened = keyring.open(*stored.sealed, aad_of(scope_id, token));
    if (!opened) return nullptr;
    core::Secret const secret(*std::move(opened));
    return std::make_shared<WebSubscription const>(
        WebSubscription::restore(secret.reveal(), stored.key.value_or("")));
}

std::set<std::string> used_keys(pg::Tx& tx, core::Scope const& scope)
{
    auto const result = tx.run(
        "SELECT DISTINCT web_key FROM devices WHERE scope_id = $1 AND web_key IS NOT NULL", {scope.id});
    auto keys = pg::read_rows(result, &pg::RowReader::text);
    return {std::move_iterator(keys.begin()), std::move_iterator(keys.end())};
}

std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    pg::lock_scope(tx, scope.id);
    std::size_t changed = 0;
    for (std::int64_t after = 0;;) {
        auto rows = page_after(tx, scope, after);
        if (rows.empty()) return changed;
        after = rows.back().device_id;
        std::erase_if(rows, [&](Row const& row) { return keyring.is_current(row.sealed); });
        for (auto& row : rows)
            renew(row, scope, keyring);
        if (!rows.empty()) write(tx, scope, rows);
        changed += rows.size();
    }
}

} // namespace notify::web_subscriptions
