#include "storage/event_claims.hpp"

#include "crypto/hash.hpp"
#include "pg/uuids.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace billing::event_claims {

namespace {

core::Uuid claim_under(std::string_view kind, std::string_view id)
{
    std::string key(kind);
    auto const digest = crypto::sha256(key.append(1, ':').append(id));
    std::array<std::uint8_t, 16> bytes{};
    std::copy_n(digest.begin(), bytes.size(), bytes.begin());
    return core::Uuid::from_bytes(bytes);
}

} // namespace

core::Uuid claim_of(Provider provider, std::string_view event_id)
{
    return claim_under(to_string(provider), event_id);
}

core::Uuid claim_of_waiting(std::string_view subscription_id)
{
    return claim_under("waiting", subscription_id);
}

core::Uuid claim_of_erased(std::string_view subscription_id)
{
    return claim_under("erased", subscription_id);
}

void insert_erased(pg::Tx& tx, core::ScopeId scope_id, std::string_view subscription_id)
{
    // maintain_events() deletes claims by received_at.
    tx.run(R"(
        INSERT INTO event_claims (scope_id, claim, archive_id, received_at)
        VALUES ($1, $2, $3, 'infinity')
        ON CONFLICT DO NOTHING)",
        {scope_id, claim_of_erased(subscription_id), core::Uuid()});
}

core::Uuid claim_of_erased_payment(std::string_view id)
{
    return claim_under("erased payment", id);
}

void insert_erased_payments(pg::Tx& tx, core::ScopeId scope_id, std::span<std::string const> ids)
{
    if (ids.empty()) return;
    std::vector<core::Uuid> claims;
    for (auto const& id : ids)
        claims.push_back(claim_of_erased_payment(id));
    tx.run(R"(
        INSERT INTO event_claims (scope_id, claim, archive_id, received_at)
        SELECT $1, u.claim, $3, clock_timestamp()
        FROM unnest($2::uuid[]) AS u(claim)
        ON CONFLICT DO NOTHING)",
        {scope_id, pg::uuids(claims), core::Uuid()});
}

bool exists(pg::Tx& tx, core::ScopeId scope_id, core::Uuid claim)
{
    return !tx.run("SELECT FROM event_claims WHERE scope_id = $1 AND claim = $2", {scope_id, claim}).empty();
}

bool exists_any(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> claims)
{
    return !claims.empty() &&
           !tx.run("SELECT FROM event_claims WHERE scope_id = $1 AND claim = ANY ($2::uuid[]) LIMIT 1",
                  {scope_id, pg::uuids(claims)})
                .empty();
}

} // namespace billing::event_claims
