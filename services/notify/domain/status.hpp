#pragma once

#include "domain/notification.hpp"

#include <optional>
#include <string>

namespace notify {

/// What the status becomes when a notification that stands at `from` is said to have reached `to`; nullopt
/// when that changes nothing. It moves forward in the order
/// queued, sent, delivered, opened, and may skip. `failed` follows `queued` and `sent`: what has arrived
/// cannot fail any more. A failed one is revived by proof that it arrived after all (`delivered`, `opened`),
/// and by nothing else.
std::optional<Status> advance(Status from, Status to) noexcept;

/// Moves `n` to `to` at `at` where `advance` lets it, with the times and the reason that belong to the
/// status: what was opened was delivered; what arrived has not failed. `reason` is that of a failure. Returns
/// whether it moved.
bool advance(Notification& n, Status to, std::string const& reason, core::Time at);

} // namespace notify
