#pragma once

#include "domain/notification.hpp"

#include <optional>
#include <string>

namespace notify {

/// The new status of a notification with status `from` when `to` is reported. Returns nullopt if the status
/// does not change. A status moves forward in the order queued, sent, delivered, opened, and may skip steps.
/// `failed` follows only `queued` and `sent`, because a delivered message cannot fail. Only `delivered` and
/// `opened` can follow `failed`, because they prove the delivery.
std::optional<Status> advance(Status from, Status to) noexcept;

/// Moves `n` to status `to` at time `at` if `advance` permits it. Sets the times and the failure reason that
/// belong to the new status: an opened notification also has a delivery time, and a delivered notification
/// has no failure reason. `reason` is used only for `failed`. Returns whether the status changed.
bool advance(Notification& n, Status to, std::string const& reason, core::Time at);

/// Whether the job of `n` has something to send: `n` is queued, or is a push that was sent to some of its
/// devices and may be pending at the others.
bool awaits_sending(Notification const& n) noexcept;

} // namespace notify
