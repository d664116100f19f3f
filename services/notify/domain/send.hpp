#pragma once

#include "core/id.hpp"
#include "domain/attachment.hpp"
#include "domain/notification.hpp"
#include "domain/template.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace notify {

/// How far ahead a notification may be told to go out.
inline constexpr std::chrono::days max_delay{30};

/// A file for an email as it is asked for: an upload, or the file itself.
struct AttachmentDraft {
    std::optional<core::Uuid> upload; ///< its id (libs/blobs); nothing else is set then
    std::string filename;
    std::string content_type;
    std::string content; ///< decoded
};

/// What somebody asks to be sent, as far as the request alone tells that it can be.
struct SendDraft {
    std::string template_name;
    Channel channel{};
    std::string to; ///< as `recipient_of` has it
    Variables variables;
    std::vector<AttachmentDraft> attachments;              ///< of an email
    std::vector<std::pair<std::string, std::string>> data; ///< of a push
    std::optional<core::Time> send_at;                     ///< in the future
};

/// Whom `to` names on a channel, in the form it is kept in: an email address, a telephone number (E.164), or
/// for a push a user's id. nullopt when it names nobody there.
std::optional<std::string> recipient_of(Channel channel, std::string_view to);

/// What `to` has to be on a channel, for whom it was not.
std::string_view recipient_rule(Channel channel) noexcept;

/// Whether `text` is a media type without parameters (RFC 9110, 8.3.1): `type/subtype`, either 1 to 127
/// characters that names of types may have (RFC 6838, 4.2).
bool is_bare_media_type(std::string_view text) noexcept;

} // namespace notify
