#pragma once

#include "core/json_writer.hpp"
#include "domain/broadcast.hpp"
#include "domain/notification.hpp"
#include "paging/cursor.hpp"
#include "storage/notifications.hpp"

#include <string>
#include <vector>

/// The JSON forms of this service's resources.
namespace notify {

/// A notification without the `deliveries` of a push, for lists and webhooks.
void write(core::JsonWriter& w, Notification const& n);
std::string to_json(Notification const& n);

/// A single notification; a push with its `deliveries`.
std::string to_json(notifications::Shown const& shown);

void write(core::JsonWriter& w, Event const& event);

void write(core::JsonWriter& w, Broadcast const& b);
std::string to_json(Broadcast const& b);

/// `{"notifications":[…],"nextCursor":…}`
std::string to_json(paging::Page<Notification> const& page);

} // namespace notify
