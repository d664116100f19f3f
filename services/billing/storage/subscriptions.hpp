#pragma once

#include "domain/subscription.hpp"
#include "pg/database.hpp"
#include "pg/row.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The table `payment_subscriptions`: what the payment provider's subscriptions were left in by their events.
/// Written by storage/apply.hpp, under the scope's lock.
namespace billing::subscriptions {

std::optional<Subscription> find(pg::Tx& tx, std::int64_t scope_id, std::string const& id);

/// Those that belong to a user.
std::vector<Subscription> of_user(pg::Tx& tx, std::int64_t scope_id, std::string const& user_id);

/// Inserts or replaces.
void put(pg::Tx& tx, std::int64_t scope_id, Subscription const& subscription);

/// The columns of a subscription, of the row `s`, and how they are read.
#define BILLING_SUBSCRIPTION_COLUMNS "s.subscription_id, s.user_id, s.state, s.revision"
Subscription read(pg::RowReader& r);

/// The column `state`: everything but id, user and revision.
std::string to_json(Subscription const& subscription);

} // namespace billing::subscriptions
