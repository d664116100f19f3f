#pragma once

#include "core/json_writer.hpp"
#include "domain/broadcast.hpp"
#include "domain/notification.hpp"

#include <string>

/// The JSON forms of notifications and broadcasts, in responses and in webhooks.
namespace notify {

/// Writes the opening brace and all members of a notification, but not the closing brace.
void begin_notification(core::JsonWriter& w, Notification const& n);

/// A notification without the `deliveries` of a push, for lists and webhooks.
void write(core::JsonWriter& w, Notification const& n);
std::string to_json(Notification const& n);

void write(core::JsonWriter& w, NotificationEvent const& event);

void write(core::JsonWriter& w, Broadcast const& b);
std::string to_json(Broadcast const& b);

} // namespace notify
