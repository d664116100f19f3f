#pragma once

#include "core/enum_names.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mail {

using core::to_string;

/// The meaning of a mail server's answer to a message.
enum class Outcome : std::uint8_t {
    accepted,
    gone,       ///< the recipient's mailbox does not exist
    refused,    ///< this message is invalid or not accepted; a retry would fail in the same way
    credential, ///< the server requires or refuses a login, and therefore refuses every message
    transient,  ///< the message was not sent, or may be sent again; a retry may succeed
};

constexpr auto enum_names(Outcome)
{
    return std::to_array<std::string_view>({"accepted", "gone", "refused", "credential", "transient"});
}

/// The result of an attempt to send one message.
struct SendResult {
    Outcome outcome = Outcome::transient;
    std::string reason;     ///< first line of the server's reply, or a failure; without secrets
    std::string message_id; ///< the Message-ID without angle brackets; set when accepted
};

/// Maximum length of a reason, in bytes.
inline constexpr std::size_t max_reason = 200;

} // namespace mail
