#pragma once

#include "core/identity.hpp"
#include "sms/phone.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sms {

struct Message {
    core::Scope scope; ///< whose message it is
    PhoneNumber to;
    std::string body;              ///< UTF-8; keep it within sms::gsm7
    std::string status_callback{}; ///< address that the provider tells what becomes of it; empty: none
    std::string traceparent{};     ///< W3C trace of what caused it, for the provider's call; empty: none
};

/// What became of a message that was handed to the provider.
enum class Outcome : std::uint8_t {
    accepted,
    opted_out,   ///< the recipient has told this sender to stop
    country,     ///< messages to that country are not allowed
    unreachable, ///< no number, no mobile, or not one this sender can reach
    refused,     ///< the provider took nothing and it is our fault or its own: credentials, rate, a 5xx
    not_sent,    ///< the provider was never reached: surely nothing went out
    unknown,     ///< it was asked, and did not answer in time or in words we know
};

inline constexpr std::array<std::string_view, 7> outcomes{
    "accepted", "opted_out", "country", "unreachable", "refused", "not_sent", "unknown"};

/// `accepted`, `opted_out`, ...: for logs and metrics.
constexpr std::string_view to_string(Outcome outcome) noexcept
{
    return outcomes[static_cast<std::size_t>(outcome)];
}

struct Sent {
    Outcome outcome = Outcome::unknown;
    std::string provider_id;                           ///< when accepted: the provider's name for the message
    unsigned code = 0;                                 ///< the provider's error code; 0: none
    unsigned status = 0;                               ///< of its HTTP answer; 0: none
    std::optional<std::chrono::seconds> retry_after{}; ///< when it refused and said until when to wait
};

/// Who carries messages. Implementations are safe from any thread.
class Sender {
public:
    virtual ~Sender() = default;

    /// Hands one message over, once: it is never repeated, because an answer that did not come does not say
    /// that nothing went out. Blocks, for `patience` at most: for worker threads.
    virtual Sent send(Message const& message, std::chrono::milliseconds patience) = 0;
};

/// How long a request may wait for a message to be taken.
inline constexpr std::chrono::milliseconds patience{10'000};

} // namespace sms
