#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace notify {

/// What a provider's answer means for the message it was given: one taxonomy for all channels.
enum class Verdict : std::uint8_t {
    accepted,
    gone,       ///< the token, or the recipient, is gone for good: prune or suppress it
    refused,    ///< this message or request is wrong and will be wrong again
    credential, ///< it is our credential that is refused: everything else under it would be too
    throttled,  ///< too much at the moment; `retry_after` if the provider said when
    transient,  ///< surely not sent, and worth another try
    unknown,    ///< it may have gone out and cannot be asked about: never repeated blindly
};

/// Their names in metrics, in their order.
inline constexpr std::array<std::string_view, 7> verdicts{
    "accepted", "gone", "refused", "credential", "throttled", "transient", "unknown"};

/// One answer of a provider.
struct Answer {
    Verdict verdict = Verdict::transient;
    std::string reason; ///< the provider's code or first line: at most `max_reason` bytes, no secret in it
    std::string provider_id; ///< the provider's name for the message, when accepted
    std::optional<std::chrono::seconds> retry_after{};
};

inline constexpr std::size_t max_reason = 200;

/// Whether `text` can be kept as a provider's name for a message: 1 to 500 visible ASCII characters.
bool is_provider_id(std::string_view text) noexcept;

/// A provider's text as a reason: its first line, cut at a character's end, with `?` in the place of control
/// characters and, where it is not UTF-8, of all that is not ASCII.
std::string reason_of(std::string_view text);

} // namespace notify
