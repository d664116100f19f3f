// The input is a subscriber document of the purchase provider. The checks cover the document and the sync
// that uses it.
#include "domain/event_fields.hpp"
#include "domain/sync.hpp"
#include "fuzz.hpp"
#include "support/scopes.hpp"

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
        require(!p.product.empty() && is_name(p.product) && is_name(p.transaction));
        require(consumable != p.transaction.empty());
        for (auto const& time : {p.purchased_at, p.expires_at, p.unsubscribed_at, p.billing_issue_at,
                 p.grace_ends_at, p.refunded_at, p.resumes_at})
            require(!time || core::is_representable(*time));
    }
}

/// A repeated sync with the same document changes nothing. A user that the provider no longer knows has no
/// active purchase.
void check_sync(Subscriber const& subscriber, core::ScopeId scope_id)
{
    auto const first = billing::decide_sync(scope_id, user_id, subscriber, {}, asked_at);
    std::vector<billing::Entitlement> held;
    for (auto const& write : first) {
        require(!write.from && billing::is_changed_by_sync(write) && write.to.user_id == user_id);
        held.push_back(write.to);
    }
    require(billing::decide_sync(scope_id, user_id, subscriber, held, asked_at).empty());
    Subscriber const nothing{.subscriptions = {}, .consumables = std::vector<Purchase>()};
    auto const later = asked_at + std::chrono::hours(1);
    auto const after = billing::decide_sync(scope_id, user_id, nothing, held, later);
    require(after.size() == held.size());
    for (auto const& write : after)
        require(!billing::is_active(write.to, later) && write.to.expires_at <= later);
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
