#pragma once

#include "core/scope.hpp"
#include "domain/history.hpp"
#include "ingest/apply_event.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

/// A scope in memory. It receives events as ingest::ingest_event does, so tests can apply the rules to
/// millions of events.
class MemoryScope final : public billing::ingest::Rows {
public:
    static constexpr core::ScopeId scope_id{5};

    /// `products`: kinds by the provider's product id.
    explicit MemoryScope(std::map<std::string, std::string> products) : products_(std::move(products)) {}

    /// Archives and applies an event, unless one with its id was received before. Times of receipt count
    /// upwards from 1970.
    billing::EventOutcome receive(billing::Event event);

    /// Applies all archived events again, in the order of their receipt, to an empty scope with this archive.
    MemoryScope replayed() const;

    /// The entitlements of a user, ordered by id.
    std::vector<billing::Entitlement> of_user(std::string const& user) const;

    /// The entitlements that a user had at a time.
    std::vector<billing::Entitlement> as_of(std::string const& user, core::Time at) const;

    // ingest::Rows
    std::vector<billing::Entitlement> entitlements(std::span<core::Uuid const> ids) override;
    std::vector<billing::Entitlement> subscribed_entitlements(core::UserId const& user_id) override;
    void write(billing::Entitlement& entitlement) override;
    void remove(core::Uuid entitlement_id) override;
    std::optional<billing::Subscription> subscription(std::string const& id) override;
    std::vector<billing::Subscription> subscriptions_of(core::UserId const& user_id) override;
    void write(billing::Subscription const& subscription) override;
    std::vector<billing::Event> history_of(core::UserId const& user_id) override;
    std::vector<billing::Event> history_of_subscription(std::string const& id) override;
    bool is_named(core::UserId const& user_id) override;
    void mark_applied(std::string const& subscription_id, core::UserId const& user_id) override;
    std::optional<billing::ingest::CheckoutProduct> product(std::string const& id) override;
    std::vector<billing::PaymentNode> nodes(std::span<std::string const> ids) override;
    void mark_applied(billing::PaymentNode const& reversal, core::UserId const& user_id) override;

private:
    struct Archived {
        core::Uuid archive_id;
        billing::Event event;
        std::optional<core::UserId> user_id;
    };

    std::vector<billing::Subscription> about(core::UserId const& user_id) const;
    std::vector<billing::Event> events_of(core::UserId const& user_id, core::Time until) const;

    std::map<std::string, std::string> products_;
    std::map<core::Uuid, billing::Entitlement> entitlements_;
    std::map<std::string, billing::Subscription> subscriptions_;
    std::vector<Archived> archive_;
    std::set<std::pair<billing::Provider, std::string>> ids_;
    std::multimap<std::string, billing::PaymentNode> nodes_;
};
