#pragma once

#include "core/enum_names.hpp"
#include "core/scope.hpp"
#include "sms/phone.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sms {

namespace asio = boost::asio;

using core::to_string;

struct Message {
    core::Scope scope; ///< the scope that sends the message
    PhoneNumber to;
    std::string body;              ///< UTF-8; keep it within sms::gsm7
    std::string status_callback{}; ///< URL for status callbacks of the provider; "" requests none
    /// W3C traceparent of the request or job that caused the message; "" if there is none. It is sent to the
    /// provider as the header `traceparent`.
    std::string traceparent{};
};

/// The provider's answer to a request to send a message.
enum class Outcome : std::uint8_t {
    accepted,
    opted_out,   ///< the recipient has opted out of this sender's messages
    country,     ///< messages to that country are not allowed
    unreachable, ///< not a valid number, not a mobile number, or not reachable for this sender
    /// The provider refused the message for a reason that is not the recipient: credentials, rate limit,
    /// service unavailable. The message was not sent.
    refused,
    not_sent, ///< the provider was not reached: the message was certainly not sent
    /// No response in time, a response that is not understood, or an error after which the message may have
    /// been sent nevertheless.
    unknown,
};

constexpr auto enum_names(Outcome)
{
    return std::to_array<std::string_view>(
        {"accepted", "opted_out", "country", "unreachable", "refused", "not_sent", "unknown"});
}

struct SendResult {
    Outcome outcome = Outcome::unknown;
    std::string provider_id;                           ///< when accepted: the provider's id of the message
    unsigned code = 0;                                 ///< the provider's error code; 0 if there is none
    unsigned status = 0;                               ///< HTTP status of the response; 0 if there is none
    std::optional<std::chrono::seconds> retry_after{}; ///< the provider's Retry-After, when it refused
};

/// Sends messages through a provider. Implementations are thread-safe.
class Sender {
public:
    virtual ~Sender() = default;

    /// Sends one request for the message to the provider, and waits for the response for at most `timeout`.
    /// No thread waits. The request is never repeated, because the message may have been sent although no
    /// response arrived. The number of concurrent calls must be limited by the callers. Resumes the caller on
    /// its own executor. The sender must outlive the call.
    virtual asio::awaitable<SendResult> send(Message message, std::chrono::milliseconds timeout) = 0;
};

/// How long a request may wait for the provider to accept a message.
inline constexpr std::chrono::milliseconds send_timeout{10'000};

} // namespace sms
