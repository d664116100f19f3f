#pragma once

#include "core/id.hpp"
#include "domain/attachment.hpp"
#include "domain/notification.hpp"
#include "domain/push_settings.hpp"
#include "domain/template.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace notify {

/// The maximum time from the request to `sendAt`.
inline constexpr std::chrono::days max_delay{30};

/// An attachment as requested: either an upload, or the file itself.
struct RequestedAttachment {
    std::optional<core::Uuid> upload; ///< the upload's id (libs/blobs); the other members are then empty
    std::string filename;
    std::string content_type;
    std::string content; ///< decoded
};

/// A send request whose fields are valid. The template and the scope's carriers are not checked yet.
struct SendRequest {
    std::string template_name;
    Channel channel{};
    std::string to; ///< in the canonical form of `recipient_of`
    Variables variables;
    std::vector<RequestedAttachment> attachments;          ///< only for an email
    std::vector<std::pair<std::string, std::string>> data; ///< only for a push
    PushSettings push;                                     ///< only for a push
    std::optional<core::Time> send_at;                     ///< in the future
};

/// The canonical form of recipient `to` on a channel: an email address, a telephone number (E.164), or for a
/// push a user id. Returns nullopt if `to` is invalid for the channel.
std::optional<std::string> recipient_of(Channel channel, std::string_view to);

/// The rule for `to` on a channel, as text for validation errors: `must be ...`.
std::string_view recipient_rule(Channel channel) noexcept;

} // namespace notify
