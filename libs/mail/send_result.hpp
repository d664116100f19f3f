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

/// The step of the transmission that ended with a result.
enum class Stage : std::uint8_t {
    local,     ///< no server was asked: an invalid message, a full queue, a stop, the outbox
    connect,   ///< name resolution, connection, greeting, EHLO
    tls,       ///< STARTTLS, TLS handshake, certificate
    login,     ///< AUTH
    sender,    ///< MAIL, or a connection that was lost before the server replied to this message
    recipient, ///< RCPT
    message,   ///< DATA, the message, and the reply to it
};

constexpr auto enum_names(Stage)
{
    return std::to_array<std::string_view>(
        {"local", "connect", "tls", "login", "sender", "recipient", "message"});
}

/// The result of an attempt to send one message.
struct SendResult {
    Outcome outcome = Outcome::transient;
    std::string reason;     ///< first line of the server's reply, or a failure; without secrets
    std::string message_id; ///< the Message-ID without angle brackets; set when accepted
    Stage stage = Stage::local;
    unsigned code = 0;         ///< code of the server's reply; 0 if there was no reply
    std::string enhanced_code; ///< of the negative reply (RFC 3463), such as `5.1.1`; empty if it has none
    /// When accepted: the first line of the server's reply after its code, such as `2.0.0 Ok: queued as
    /// 4FA1`. At most `max_reason` bytes of printable text.
    std::string accepted_reply;
};

/// Whether a result concerns this message or its recipient. If false, the server cannot be reached, refuses
/// the session or the login, or was not asked, so other messages would fail in the same way. A connection
/// that is lost after MAIL was accepted concerns the message, because the message may be the cause.
constexpr bool concerns_message(Outcome outcome, Stage stage, unsigned code) noexcept
{
    if (outcome == Outcome::accepted) return true;
    if (outcome == Outcome::credential) return false;
    if (stage == Stage::local) return outcome == Outcome::refused;
    constexpr unsigned closing = 421; // RFC 5321, 3.8
    if (stage == Stage::sender) return code != 0 && code != closing;
    return stage == Stage::recipient || stage == Stage::message;
}

inline bool concerns_message(SendResult const& result) noexcept
{
    return concerns_message(result.outcome, result.stage, result.code);
}

/// Maximum length of a reason, in bytes.
inline constexpr std::size_t max_reason = 200;

} // namespace mail
