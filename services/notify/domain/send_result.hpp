#pragma once

#include "core/enum_names.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

using core::to_string;

/// The meaning of a provider's response for one message. All channels use the same values.
enum class Verdict : std::uint8_t {
    accepted,
    gone,       ///< the token or the recipient no longer exists: remove the device or suppress the address
    refused,    ///< this message or request is invalid; a retry would fail in the same way
    credential, ///< the provider refuses the credential, and therefore every request made with it
    throttled,  ///< too many requests; `retry_after` is set if the provider stated a time
    transient,  ///< the message was not sent, or may safely be sent again; a retry may succeed
    unknown,    ///< the message may have been sent, so it is not sent again
};

constexpr auto enum_names(Verdict)
{
    return std::to_array<std::string_view>(
        {"accepted", "gone", "refused", "credential", "throttled", "transient", "unknown"});
}

/// The result of an attempt to send one message, or one push to one device.
struct SendResult {
    Verdict verdict = Verdict::transient;
    std::string reason; ///< the provider's code or first line, at most `max_reason` bytes, without secrets
    std::string provider_id; ///< the provider's id of the message; set when accepted
    std::optional<std::chrono::seconds> retry_after{};
};

/// Maximum length of a reason, in bytes.
inline constexpr std::size_t max_reason = 200;

/// Whether `text` can be stored as a provider's id of a message: 1 to 500 visible ASCII characters.
bool is_provider_id(std::string_view text) noexcept;

/// Turns a provider's text into a reason: `core::first_line` with at most `max_reason` bytes.
std::string reason_of(std::string_view text);

} // namespace notify
