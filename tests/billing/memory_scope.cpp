#include "memory_scope.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

using namespace billing;

EventOutcome MemoryScope::receive(Event event)
{
    if (!ids_.emplace(event.provider, event.id).second) return {EventResult::duplicate, {}};
    core::Time const received_at(std::chrono::seconds(static_cast<std::int64_t>(archive_.size()) + 1));
    event.set_received_at(received_at);
    auto const archive_id = core::Uuid::v7();
    auto applied = ingest::apply_event(*this, scope_id, event, archive_id);
    auto user = applied.user_id ? applied.user_id : event.user_id;
    for (auto const& id : applied.node.ids)
        nodes_.emplace(id, applied.node);
    archive_.push_back({archive_id, std::move(event), std::move(user)});
    return applied.outcome;
}

MemoryScope MemoryScope::replayed() const
{
    MemoryScope scope(products_);
    scope.archive_ = archive_;
    scope.nodes_ = nodes_;
    for (auto const& archived : archive_)
        ingest::apply_event(scope, scope_id, archived.event, archived.archive_id);
    return scope;
}

std::vector<Entitlement> MemoryScope::of_user(std::string const& user) const
{
    std::vector<Entitlement> found;
    for (auto const& [id, e] : entitlements_)
        if (e.user_id.text() == user) found.push_back(e);
    return found;
}

std::vector<Entitlement> MemoryScope::as_of(std::string const& user, core::Time at) const
{
    core::UserId const user_id(user);
    Known known{.entitlements = of_user(user), .subscriptions = about(user_id), .checkout_products = {}};
    for (auto const& [product, kind] : products_)
        if (kind != "subscription") known.checkout_products.emplace(product, product);
    auto as_of = entitlements_as_of(scope_id, user_id, at, events_of(user_id, at), known);
    std::ranges::sort(as_of, {}, &Entitlement::id);
    return as_of;
}

std::vector<Entitlement> MemoryScope::entitlements(std::span<core::Uuid const> ids)
{
    std::vector<Entitlement> found;
    for (auto const& id : ids)
        if (auto const it = entitlements_.find(id); it != entitlements_.end()) found.push_back(it->second);
    std::ranges::sort(found, {}, &Entitlement::id);
    return found;
}

std::vector<Entitlement> MemoryScope::subscribed_entitlements(core::UserId const& user_id)
{
    auto found = of_user(user_id.text());
    std::erase_if(found,
        [](Entitlement const& e) { return e.source != Source::payments || !e.transaction_id.empty(); });
    return found;
}

void MemoryScope::write(Entitlement& entitlement)
{
    ++entitlement.revision;
    entitlements_.insert_or_assign(entitlement.id, entitlement);
}

void MemoryScope::remove(core::Uuid entitlement_id)
{
    entitlements_.erase(entitlement_id);
}

std::optional<Subscription> MemoryScope::subscription(std::string const& id)
{
    auto const it = subscriptions_.find(id);
    return it == subscriptions_.end() ? std::nullopt : std::optional(it->second);
}

std::vector<Subscription> MemoryScope::about(core::UserId const& user_id) const
{
    std::vector<Subscription> found;
    for (auto const& [id, s] : subscriptions_) {
        bool const has_left =
            std::ranges::find(s.removed, user_id, &Subscription::Removed::user_id) != s.removed.end();
        if (s.user_id == user_id || has_left) found.push_back(s);
    }
    return found;
}

std::vector<Subscription> MemoryScope::subscriptions_of(core::UserId const& user_id)
{
    return about(user_id);
}

void MemoryScope::write(Subscription const& subscription)
{
    subscriptions_.insert_or_assign(subscription.id, subscription);
}

std::vector<Event> MemoryScope::events_of(core::UserId const& user_id, core::Time until) const
{
    std::set<std::string> subjects;
    std::vector<Event> events;
    auto const is_theirs = [&](Archived const& a) {
        bool const names = std::ranges::find(a.event.named_users, user_id) != a.event.named_users.end();
        return a.user_id == user_id || names;
    };
    auto const is_in_time = [&](Archived const& a) { return a.event.at && *a.event.at <= until; };
    for (auto const& a : archive_)
        if (is_theirs(a) && is_in_time(a) && a.event.subscription_id)
            subjects.insert(*a.event.subscription_id);
    for (auto const& a : archive_) {
        bool const is_of_subject = a.event.subscription_id && subjects.contains(*a.event.subscription_id);
        if (is_in_time(a) && (is_theirs(a) || is_of_subject)) events.push_back(a.event);
    }
    return events;
}

std::vector<Event> MemoryScope::history_of(core::UserId const& user_id)
{
    return events_of(user_id, core::max_time);
}

std::vector<Event> MemoryScope::history_of_subscription(std::string const& id)
{
    std::vector<Event> events;
    for (auto const& archived : archive_)
        if (archived.event.subscription_id == id) events.push_back(archived.event);
    return events;
}

bool MemoryScope::is_named(core::UserId const& user_id)
{
    return std::ranges::any_of(archive_, [&](Archived const& archived) {
        return archived.event.user_id != user_id &&
               std::ranges::find(archived.event.named_users, user_id) != archived.event.named_users.end();
    });
}

void MemoryScope::mark_applied(std::string const& subscription_id, core::UserId const& user_id)
{
    for (auto& archived : archive_)
        if (archived.event.subscription_id == subscription_id && !archived.user_id)
            archived.user_id = user_id;
}

std::optional<ingest::CheckoutProduct> MemoryScope::product(std::string const& id)
{
    auto const it = products_.find(id);
    if (it == products_.end()) return std::nullopt;
    return ingest::CheckoutProduct{id, it->second == "subscription"};
}

std::vector<PaymentNode> MemoryScope::nodes(std::span<std::string const> ids)
{
    std::map<core::Uuid, PaymentNode> found;
    for (auto const& id : ids) {
        auto const [begin, end] = nodes_.equal_range(id);
        for (auto it = begin; it != end; ++it)
            found.emplace(it->second.archive_id, it->second);
    }
    std::vector<PaymentNode> nodes;
    for (auto& [id, node] : found)
        nodes.push_back(std::move(node));
    return nodes;
}

void MemoryScope::mark_applied(PaymentNode const& reversal, core::UserId const& user_id)
{
    for (auto& archived : archive_)
        if (archived.archive_id == reversal.archive_id) archived.user_id = user_id;
}
