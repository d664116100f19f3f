#pragma once

#include "core/secret.hpp"
#include "http_client/client.hpp"
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

/// Creates messages: `POST /2010-04-01/Accounts/{sid}/Messages.json`.
class Sender final : public sms::Sender {
public:
    /// `client` must outlive this object.
    Sender(Account account, http_client::Client& client) : account_(std::move(account)), client_(client) {}

    SendResult send(Message const& message, std::chrono::milliseconds timeout) override;

private:
    Account const account_;
    http_client::Client& client_;
};

/// Converts a response of the Messages resource (https://www.twilio.com/docs/api/errors).
SendResult read_answer(unsigned status, std::string_view body);

/// The error code of `Outcome::opted_out`: the recipient has replied STOP.
inline constexpr unsigned opted_out_code = 21610;

/// Returns the outcome for an error code of a response or of a status callback. The result is `refused` for
/// codes that do not concern the recipient.
Outcome outcome_of(unsigned code) noexcept;

using Parameters = std::vector<std::pair<std::string, std::string>>;

/// Parses the parameters of a form body (`application/x-www-form-urlencoded`). Returns nullopt if the body is
/// malformed or has more than 100 parameters.
std::optional<Parameters> parse_form(std::string_view body);

/// Returns the value of the parameter `name`; empty if it is absent.
std::string_view find(Parameters const& parameters, std::string_view name) noexcept;

/// The value of `X-Twilio-Signature` for a request to `url` (https://www.twilio.com/docs/usage/security):
/// base64 of the HMAC-SHA-1 of the URL and every parameter's name and value, sorted.
std::string sign(core::Secret const& auth_token, std::string_view url, Parameters parameters);

/// Whether `signature` is valid for one of the URLs; compares in constant time. With an empty token no
/// signature is valid.
bool is_signed(core::Secret const& auth_token, std::span<std::string const> urls,
    Parameters const& parameters, std::string_view signature);

/// What the recipient asks for in an inbound message: to stop messages, or to receive them again.
enum class Keyword : std::uint8_t { none, stop, start };

/// Reads `OptOutType` if Twilio's Advanced Opt-Out sets it, otherwise the carriers' keywords in `Body`.
Keyword keyword_of(Parameters const& parameters);

} // namespace sms::twilio
