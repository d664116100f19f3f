#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/access.hpp"
#include "domain/event.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// The archived events that decide a state, parsed by the current rules.
namespace billing::event_history {

/// A history contains the latest events whose payloads have up to this number of bytes in total. The limit
/// bounds the memory that a history needs. It is more than a thousand times the size of a typical event.
inline constexpr std::size_t max_bytes = 32 << 20;

/// All events of a user and of the user's subscriptions, and all events that name the user, whose provider's
/// time is not after `until`, parsed by the current rules. Excludes rejected and erased events. If the
/// payloads exceed `max_bytes` in total, only the latest events by the provider's time are returned. The
/// order is undefined.
std::vector<Event> of_user(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, core::Time until = core::max_time);

/// The column `subject` of the events SETTINGS, so that they are found without a search of the archive. No id
/// of the payments provider has a colon.
inline constexpr char const* settings_subject = "internal:settings";

/// The tenant's settings for access at a time; nullopt if the archive has no change of them.
std::optional<AccessSettings> settings_at(pg::Tx& tx, core::ScopeId scope_id, core::Time at);

/// Like `of_user`, but returns the events of one subscription of the payments provider, regardless of
/// their time.
std::vector<Event> of_subscription(pg::Tx& tx, core::ScopeId scope_id, std::string const& subscription_id);

} // namespace billing::event_history
