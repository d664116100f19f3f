// The input is a subscriber document of the purchase provider. The checks cover the document and the sync
// that uses it.
#include "domain/event_fields.hpp"
#include "domain/purchase_rules.hpp"
#include "domain/sync.hpp"
#include "fuzz.hpp"
#include "support/scopes.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

using billing::Purchase, billing::Subscriber;
using fuzz::require;

namespace {

core::Time const asked_at{std::chrono::seconds(1'767'225'600)};
core::UserId const user_id("ada");

bool is_name(std::string const& text)
{
    return fuzz::is_text(text) && core::count_code_points(text) <= billing::event_fields::max_id;
}

void check(std::vector<Purchase> const& purchases, bool consumable)
{
    for (auto const& p : purchases) {
        require(!p.product.empty() && is_name(p.product) && is_name(p.transaction) && is_name(p.store));
        require(is_name(p.store_transaction));
        require(consumable != p.transaction.empty());
        for (auto const& time : {p.purchased_at, p.expires_at, p.unsubscribed_at, p.billing_issue_at,
                 p.grace_ends_at, p.refunded_at, p.resumes_at})
            require(!time || core::is_representable(*time));
    }
}

/// The rows after a sync at time `at`. `sent_at`: by the clock of the database.
std::vector<billing::Entitlement> synced(core::ScopeId scope_id, std::vector<billing::Entitlement> rows,
    Subscriber const& subscriber, core::Time at, core::Time sent_at)
{
    billing::SyncTimes const times{
        .asked_at = at, .watermark = at, .sent_at = sent_at, .moved_at = std::nullopt};
    for (auto purchase : billing::decide_sync(scope_id, user_id, subscriber, rows, times).purchases) {
        require(purchase.user_id == user_id && purchase.fact.synced.has_value());
        purchase.received_at = at;
        for (auto& write : billing::decide(purchase, scope_id, rows, false).writes) {
            std::erase_if(rows, [&](billing::Entitlement const& e) { return e.id == write.to.id; });
            rows.push_back(std::move(write.to));
        }
    }
    return rows;
}

/// A repeated sync with the same document changes nothing that is shown, and moves the position of each
/// purchase. A user that the provider no longer knows has no access.
void check_sync(Subscriber const& subscriber, core::ScopeId scope_id)
{
    auto const first = synced(scope_id, {}, subscriber, asked_at, asked_at);
    auto const later = asked_at + std::chrono::hours(1);
    for (auto const& before : first) {
        auto const again = synced(scope_id, {before}, subscriber, asked_at, later);
        auto const after = std::ranges::find(again, before.id, &billing::Entitlement::id);
        require(after != again.end() && after->last > before.last);
        require(!billing::is_changed_by_sync({before, *after}));
    }
    Subscriber const nothing{.subscriptions = {}, .consumables = std::vector<Purchase>()};
    for (auto const& row : synced(scope_id, first, nothing, later, later))
        require(!billing::is_active(row.access, {}, later));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    Subscriber subscriber;
    try {
        subscriber = billing::parse_subscriber({reinterpret_cast<char const*>(data), size});
    } catch (std::invalid_argument const&) {
        return 0;
    }
    check(subscriber.subscriptions, false);
    if (subscriber.consumables) check(*subscriber.consumables, true);
    for (auto const scope_id : testing::scopes({4, 5})) // production and sandbox of one tenant
        check_sync(subscriber, scope_id);
    return 0;
}
