#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/access.hpp"
#include "ingest/rows.hpp"
#include "pg/tx.hpp"

namespace billing::ingest {

/// The rows of a scope in the database. The caller holds the scope's lock.
class StoredRows final : public Rows {
public:
    /// `settings` and `now` decide whether a written entitlement gives access now.
    StoredRows(pg::Tx& tx, core::ScopeId scope_id, AccessSettings const& settings, core::Time now)
        : tx_(tx), scope_id_(scope_id), settings_(settings), now_(now)
    {
    }

    std::vector<Entitlement> entitlements(std::span<core::Uuid const> ids) override;
    std::vector<Entitlement> subscribed_entitlements(core::UserId const& user_id) override;
    void write(Entitlement& entitlement) override;
    void remove(core::Uuid entitlement_id) override;
    std::optional<Subscription> subscription(std::string const& id) override;
    std::vector<Subscription> subscriptions_of(core::UserId const& user_id) override;
    void write(Subscription const& subscription) override;
    std::vector<Event> history_of(core::UserId const& user_id) override;
    std::vector<Event> history_of_subscription(std::string const& id) override;
    bool is_named(core::UserId const& user_id) override;
    void mark_applied(std::string const& subscription_id, core::UserId const& user_id) override;
    std::optional<CheckoutProduct> product(std::string const& id) override;
    std::vector<PaymentNode> nodes(std::span<std::string const> ids) override;
    void mark_applied(PaymentNode const& reversal, core::UserId const& user_id) override;

private:
    pg::Tx& tx_;
    core::ScopeId scope_id_;
    AccessSettings settings_;
    core::Time now_;
};

} // namespace billing::ingest
