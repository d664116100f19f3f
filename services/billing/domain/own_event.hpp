#pragma once

#include "domain/event.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

/// The events of this service itself: syncs, manual grants, and changes of settings. They are archived like
/// the providers' events, so that the archive explains every stored entitlement.
namespace billing {

/// The types of own events, as the archive shows them.
inline constexpr std::string_view sync_type = "SYNC", settings_type = "SETTINGS", grant_type = "GRANT",
                                  revoke_type = "REVOKE", link_type = "LINK";

/// The payload of an own event, for the archive. `data` is a PurchaseEvent (GRANT, REVOKE), a SyncEvent, a
/// SettingsEvent, or Skipped (LINK: `references` belong to the same payment).
std::string own_payload(Event const& event);

/// The payload of the SYNC of a subscription of the payments provider, as `parse_fetched_subscription` read
/// it. `object` is the provider's JSON.
std::string own_payload(Event const& event, boost::json::value const& object);

/// Reads these payloads.
ParsedEvent parse_own_event(boost::json::value const& document);

} // namespace billing
