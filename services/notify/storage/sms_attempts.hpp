#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/notification.hpp"
#include "pg/batch.hpp"
#include "storage/notifications.hpp"

#include <optional>
#include <span>

/// The beginnings of attempts to send text messages (`notifications.attempt_token`). notification_status.hpp
/// writes the end of an attempt.
namespace notify::sms_attempts {

/// A text message to send.
struct Message {
    Notification notification; ///< with its body
    bool suppressed = false;   ///< whether its number is suppressed
};

/// Each message; nullopt if the notification was removed.
pg::Batch<std::optional<Message>> load_batch(
    pg::BatchConnection& connection, std::span<notifications::Key const> keys);

struct Attempt {
    core::ScopeId scope_id{};
    core::Uuid id;        ///< of the notification
    core::Time queued_at; ///< of the notification
    core::Uuid token;     ///< of the lease of its job
};

/// Stores that an attempt begins, so that no other run sends the message. Returns false for an attempt that
/// must not begin: the lease of the job was lost, the notification is not queued any more, was queued again
/// by a retry request, or another attempt has begun. If the same attempt has begun already, returns true.
pg::Batch<bool> begin_batch(pg::BatchConnection& connection, std::span<Attempt const> attempts);

} // namespace notify::sms_attempts
