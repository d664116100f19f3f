#pragma once

#include "domain/json.hpp"
#include "paging/cursor.hpp"
#include "storage/notifications.hpp"

#include <string>

/// The JSON forms of notifications that only responses have.
namespace notify {

/// A single notification; a push with its `deliveries`.
std::string to_json(notifications::Shown const& shown);

/// `{"notifications":[…],"nextCursor":…}`
std::string to_json(paging::Page<Notification> const& page);

} // namespace notify
