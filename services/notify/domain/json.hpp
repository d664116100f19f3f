#pragma once

#include "core/json_writer.hpp"
#include "domain/broadcast.hpp"
#include "domain/notification.hpp"

#include <string>

/// The JSON forms of devices, notifications and broadcasts, in responses, in webhooks and in exports.
namespace notify {

/// Writes the opening brace and all members of a device, but not the closing brace.
void begin_device(core::JsonWriter& w, Device const& d);

void write(core::JsonWriter& w, Device const& d);

/// Writes the opening brace and all members of a notification, but not the closing brace.
void begin_notification(core::JsonWriter& w, Notification const& n);

/// A notification without the `deliveries` of a push, for lists and webhooks.
void write(core::JsonWriter& w, Notification const& n);
std::string to_json(Notification const& n);

void write(core::JsonWriter& w, NotificationEvent const& event);

/// Writes the opening brace and all members of a delivery, but not the closing brace.
void begin_delivery(core::JsonWriter& w, PushDelivery const& d);

/// A broadcast without the end of its object, so that the caller can add members.
void begin_broadcast(core::JsonWriter& w, Broadcast const& b);
void write(core::JsonWriter& w, Broadcast const& b);
std::string to_json(Broadcast const& b);

} // namespace notify
