#include "ingest/deleted_users.hpp"

#include "auth/erased_user_rows.hpp"
#include "domain/event_erasure.hpp"
#include "storage/event_claims.hpp"
#include "storage/subscriptions.hpp"
#include "user_data/user_data.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace billing::ingest {

namespace {

/// The users of an event, and those of them whose account was deleted.
struct EventUsers {
    /// The event's user or, if the event states none, the user of its stored subscription.
    std::optional<core::UserId> owner;
    std::vector<core::UserId> deleted; ///< `owner`, or named by the event
    /// Whether the event names no user, and its subscription or payment belonged to a user whose account was
    /// deleted.
    bool has_erased_purchase = false;

    bool is_owner_deleted() const { return owner && std::ranges::find(deleted, *owner) != deleted.end(); }
};

bool has_erased_payment(pg::Tx& tx, core::ScopeId scope_id, Event const& event)
{
    std::vector<core::Uuid> claims;
    claims.reserve(event.references.size());
    for (auto const& id : event.references)
        claims.push_back(event_claims::claim_of_erased_payment(id));
    return event_claims::exists_any(tx, scope_id, claims);
}

EventUsers find_users(
    pg::Tx& tx, core::ScopeId scope_id, Event const& event, std::optional<core::UserId> const& user_id)
{
    EventUsers users{.owner = user_id};
    if (!user_id && event.subscription_id) {
        if (auto stored = subscriptions::find(tx, scope_id, *event.subscription_id))
            users.owner = std::move(stored->user_id);
        else if (event.named_users.empty())
            users.has_erased_purchase =
                event_claims::exists(tx, scope_id, event_claims::claim_of_erased(*event.subscription_id));
    }
    if (!users.owner && event.named_users.empty() && !users.has_erased_purchase)
        users.has_erased_purchase = has_erased_payment(tx, scope_id, event);
    std::vector<std::string> ids;
    ids.reserve(event.named_users.size() + 1);
    for (auto const& user : event.named_users)
        ids.push_back(user.text());
    if (users.owner) ids.push_back(users.owner->text());
    if (ids.empty()) return users;
    auto const were_erased = auth::erased_user_rows::were_erased(tx, scope_id, ids);
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (were_erased[i]) users.deleted.emplace_back(std::move(ids[i]));
    return users;
}

} // namespace

void erase_deleted_users(pg::Tx& tx, core::ScopeId scope_id, Event const& event, event_archive::NewEvent& row)
{
    auto users = find_users(tx, scope_id, event, row.user_id);
    auto const pseudonym = user_data::new_pseudonym();
    if (users.has_erased_purchase) {
        users.owner = pseudonym;
        users.deleted.push_back(pseudonym);
    }
    if (users.deleted.empty()) return;
    auto erased = erase_from_event(row.provider, users.owner, row.payload, users.deleted, pseudonym);
    row.payload = std::move(erased.payload);
    std::erase_if(row.named_users, [&](core::UserId const& id) {
        return std::ranges::find(erased.unfiled, id) != erased.unfiled.end();
    });
    if (!erased.is_erased) return;
    row.is_erased = true;
    event_claims::insert_erased_payments(tx, scope_id, event.references); // for events with other ids
    row.user_id = std::move(erased.user_id);
    row.subscription_id.reset();
}

bool is_of_deleted_user(
    pg::Tx& tx, core::ScopeId scope_id, Event const& event, std::optional<core::UserId> const& user_id)
{
    auto const users = find_users(tx, scope_id, event, user_id);
    return users.has_erased_purchase || users.is_owner_deleted();
}

} // namespace billing::ingest
