#pragma once

#include "blobs/store.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/notification.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"
#include "storage/notification_attachments.hpp"
#include "user_data/user_data.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The SQL that erases and exports the data of one user (user_data::UserData). A user owns the devices that
/// are registered for the user's id, and the notifications whose recipient is the user's id. These are the
/// user's pushes. An email or a text message belongs to the user only if the user's id is the address.
namespace notify::user_rows {

// The steps of the erasure, in their order (see user_data::Step). suppressions::hash_user comes before them.

/// Replaces the tokens of the user's devices in the deliveries of pushes to other users by the pseudonym.
/// There are such deliveries if a device moved from another user to this one.
std::size_t hide_tokens(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Deletes devices. The commit announces them on `erased_devices_channel`. Takes the scope's lock
/// (pg::lock_scope).
std::size_t erase_devices(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Deletes notifications with their history, deliveries, files and jobs, and the uploads that no other
/// notification uses. A job that a worker has begun ends by itself, and writes nothing. Returns `limit` while
/// there may be more rows.
std::size_t erase_notifications(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Deletes the uploads that the user presigned and that no email uses. Other uploads stay, because they are
/// part of emails to other recipients. They lose the user's id.
std::size_t erase_uploads(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Every replica must stop sending to the devices whose ids are announced on this channel, because a run may
/// have read them already.
inline constexpr char const* erased_devices_channel = "erased_devices";

/// The ids of the devices in a notification on `erased_devices_channel`.
std::vector<std::int64_t> parse_devices(std::string_view payload);

/// Everything that is stored of one notification.
struct ExportedNotification {
    Notification notification; ///< with its content, except `content.data` and `content.push`
    std::optional<std::string> data_json, push_json;
    std::vector<PushDelivery> deliveries;
    std::vector<NotificationEvent> events;            ///< without the acceptance, oldest first
    std::vector<notification_attachments::Row> files; ///< without the bytes
};

/// At most `limit` of the user's notifications after `after`, newest first. Less if their texts exceed 1 MiB
/// together, but at least one if there is one.
std::vector<ExportedNotification> list_notifications(pg::Tx& tx, core::Scope const& scope,
    core::UserId const& user_id, std::optional<paging::Position> const& after, std::size_t limit);

} // namespace notify::user_rows
