#include "ingest/sync_requests.hpp"

#include "auth/erased_user_rows.hpp"
#include "domain/named_users.hpp"
#include "domain/settings.hpp"
#include "storage/entitlements.hpp"
#include "storage/subscriptions.hpp"
#include "tenancy/settings.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace billing::ingest {

namespace {

using sync_requests::SyncRequest;

constexpr std::string_view transfer_type = "TRANSFER";

bool is_former_user(Event const& event, core::UserId const& user)
{
    return std::ranges::find(event.former_users, user) != event.former_users.end();
}

/// The users of an event of the purchase provider, as `sync_requests_of` returns them.
std::vector<SyncRequest> requests_of_named_users(Event const& event)
{
    bool const is_transfer = event.type == transfer_type;
    bool const names_person = std::ranges::any_of(event.named_users,
        [&](core::UserId const& user) { return is_person(user) && !is_former_user(event, user); });
    std::vector<SyncRequest> persons, anonymous;
    for (auto const& user : event.named_users) {
        bool const is_former = is_former_user(event, user);
        SyncRequest request{user, is_transfer, is_former ? event.at : std::nullopt};
        if (is_person(user))
            persons.push_back(std::move(request));
        else if (is_anonymous(user) && (is_former || !names_person))
            anonymous.push_back(std::move(request));
    }
    std::ranges::move(anonymous, std::back_inserter(persons));
    return persons;
}

/// Whether the event has a type of the purchase provider that the service does not handle.
bool is_unhandled(Event const& event)
{
    return event.provider == Provider::purchases && std::holds_alternative<Skipped>(event.data) &&
           !purchase_type_of(event.type);
}

/// Whether the event is about a subscription and does not name its user.
bool lacks_user(Event const& event)
{
    auto const type = payment_type_of(event.type);
    return event.provider == Provider::payments && std::holds_alternative<Skipped>(event.data) && type &&
           *type != PaymentEventType::invoice_paid && event.subscription_id && !event.user_id;
}

bool lacks_items(Event const& event)
{
    auto const* subscription = std::get_if<SubscriptionEvent>(&event.data);
    return event.provider == Provider::payments && subscription != nullptr && subscription->items_incomplete;
}

bool has_api_key(pg::Tx& tx, core::TenantId tenant_id, Source source)
{
    auto const home = core::Scope::of(tenant_id, core::Environment::production, {});
    auto const document = tenancy::settings::read(tx, home).document;
    return source == Source::payments ? settings::has_payments_api_key(document)
                                      : settings::has_purchases_api_key(document);
}

std::optional<core::UserId> subscription_user(pg::Tx& tx, core::ScopeId scope_id, Event const& event)
{
    if (!lacks_user(event)) return std::nullopt;
    auto stored = subscriptions::find(tx, scope_id, *event.subscription_id);
    return stored ? std::optional(std::move(stored->user_id)) : std::nullopt;
}

/// Removes the anonymous ids of a person whose purchases moved to another user, if these ids have no
/// entitlements.
void remove_empty_aliases(
    pg::Tx& tx, core::ScopeId scope_id, Event const& event, std::vector<SyncRequest>& requests)
{
    if (!std::ranges::any_of(event.former_users, is_person)) return;
    std::erase_if(requests, [&](SyncRequest const& request) {
        return is_anonymous(request.user_id) && is_former_user(event, request.user_id) &&
               entitlements::of_source(tx, scope_id, request.user_id, Source::purchases).empty();
    });
}

void remove_deleted_users(pg::Tx& tx, core::ScopeId scope_id, std::vector<SyncRequest>& requests)
{
    if (requests.empty()) return;
    std::vector<std::string> users;
    users.reserve(requests.size());
    for (auto const& request : requests)
        users.push_back(request.user_id.text());
    auto const were_erased = auth::erased_user_rows::were_erased(tx, scope_id, users);
    std::size_t i = 0;
    std::erase_if(requests, [&](SyncRequest const&) { return were_erased[i++]; });
}

} // namespace

bool may_request_syncs(Event const& event)
{
    return is_unhandled(event) || lacks_user(event) || lacks_items(event);
}

std::vector<SyncRequest> sync_requests_of(
    Event const& event, std::optional<core::UserId> const& subscription_user)
{
    std::vector<SyncRequest> requests;
    if (is_unhandled(event)) return requests_of_named_users(event);
    if (lacks_items(event))
        requests.push_back({.user_id = std::get<SubscriptionEvent>(event.data).user_id, .ended_at = {}});
    else if (lacks_user(event) && subscription_user)
        requests.push_back({.user_id = *subscription_user, .ended_at = {}});
    return requests;
}

void request_syncs(pg::Tx& tx, core::ScopeId scope_id, Event const& event)
{
    auto const tenant_id = core::tenant_of(scope_id);
    auto const source = event.provider == Provider::payments ? Source::payments : Source::purchases;
    if (!may_request_syncs(event) || !has_api_key(tx, tenant_id, source)) return;
    auto requests = sync_requests_of(event, subscription_user(tx, scope_id, event));
    if (requests.size() > max_synced_users) requests.resize(max_synced_users, requests.front());
    remove_empty_aliases(tx, scope_id, event, requests);
    remove_deleted_users(tx, scope_id, requests);
    sync_requests::insert(tx, scope_id, source, requests);
}

} // namespace billing::ingest
