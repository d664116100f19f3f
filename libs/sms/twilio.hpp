#pragma once

#include "core/secret.hpp"
#include "http/form.hpp"
#include "http_client/async_client.hpp"
#include "sms/sender.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Twilio's Programmable Messaging: https://www.twilio.com/docs/messaging/api/message-resource.
namespace sms::twilio {

struct Account {
    std::string base_url; ///< `https://api.twilio.com`, without a slash at the end
    std::string sid;      ///< begins with `AC`
    core::Secret auth_token;
    std::string from; ///< a number, or a messaging service (begins with `MG`)
};

/// Creates messages: `POST /2010-04-01/Accounts/{sid}/Messages.json`. Connections are kept between messages.
class Sender final : public sms::Sender {
public:
    /// The address policy of `client` must allow the address of the base URL.
    Sender(Account account, http_client::ClientOptions client)
        : account_(std::move(account)), client_(std::move(client))
    {
    }

    asio::awaitable<SendResult> send(Message message, std::chrono::milliseconds timeout) override;

private:
    http_client::Request request_for(Message const& message, std::chrono::milliseconds timeout) const;

    Account const account_;
    http_client::AsyncClient client_;
};

/// Converts a response of the Messages resource (https://www.twilio.com/docs/api/errors). The outcome is
/// `unknown` for 408 and for a status from 500 on, because the message may have been created; except for
/// Twilio's answer 503 with the code 20503 (service unavailable), which is `refused`.
SendResult read_answer(unsigned status, std::string_view body);

/// The error code of `Outcome::opted_out`: the recipient has replied STOP.
inline constexpr unsigned opted_out_code = 21610;

/// Returns the outcome for an error code of a response or of a status callback. The result is `refused` for
/// codes that do not concern the recipient.
Outcome outcome_of(unsigned code) noexcept;

/// The value of `X-Twilio-Signature` for a request to `url` (https://www.twilio.com/docs/usage/security):
/// base64 of the HMAC-SHA-1 of the URL and every parameter's name and value, sorted.
std::string sign(core::Secret const& auth_token, std::string_view url, http::Form parameters);

/// Whether `signature` is valid for one of the URLs; compares in constant time. With an empty token no
/// signature is valid.
bool is_signed(core::Secret const& auth_token, std::span<std::string const> urls,
    http::Form const& parameters, std::string_view signature);

/// What the recipient asks for in an inbound message: to stop messages, or to receive them again.
enum class Keyword : std::uint8_t { none, stop, start };

/// Reads `OptOutType` if Twilio's Advanced Opt-Out sets it, otherwise the carriers' keywords in `Body`.
Keyword keyword_of(http::Form const& parameters);

} // namespace sms::twilio
