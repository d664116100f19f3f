#include "sms/twilio.hpp"

#include "core/text.hpp"
#include "crypto/compare.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"
#include "http_client/await.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace sms::twilio {

namespace {

bool is_service(std::string_view from) noexcept
{
    return from.starts_with("MG");
}

/// The text that is signed after the URL. As in Twilio's own helpers, a parameter that is sent twice with the
/// same value counts once.
std::string signed_text(http::Form parameters)
{
    std::ranges::sort(parameters);
    auto const repeated = std::ranges::unique(parameters);
    parameters.erase(repeated.begin(), repeated.end());
    std::string text;
    for (auto const& [name, value] : parameters)
        text.append(name).append(value);
    return text;
}

/// Whether the message may have been created, although the response has this error status. Twilio warns that
/// a repeated request may create a second message (https://www.twilio.com/docs/api/errors/20500), and a proxy
/// may have got no response from Twilio. 503 means that the request was not processed (RFC 9110, 15.6.4).
bool may_be_created(unsigned status) noexcept
{
    return (status >= 500 && status != 503) || status == 408;
}

/// The error code in a response; 0 if there is none. Codes beyond the range of int are ignored, so that
/// truncation cannot turn them into known ones.
unsigned code_in(boost::json::object const* answer)
{
    auto const* const code = answer == nullptr ? nullptr : answer->if_contains("code");
    bool const is_code = code != nullptr && code->is_int64() && code->get_int64() > 0 &&
                         code->get_int64() <= std::numeric_limits<int>::max();
    return is_code ? static_cast<unsigned>(code->get_int64()) : 0;
}

std::string sign_text(core::Secret const& auth_token, std::string_view url, std::string_view text)
{
    auto const mac = crypto::hmac_sha1(auth_token.reveal(), std::string(url).append(text));
    return crypto::base64::encode({reinterpret_cast<char const*>(mac.data()), mac.size()});
}

} // namespace

Outcome outcome_of(unsigned code) noexcept
{
    switch (code) {
    case opted_out_code:
        return Outcome::opted_out;
    case 21408: // the account has no permission for the region
        return Outcome::country;
    case 21211: // invalid `To`
    case 21214: // `To` cannot be reached
    case 21217: // `To` is no phone number
    case 21265: // `To` is a short code
    case 21266: // `To` is the sender's number
    case 21268: // `To` is the number of an information service
    case 21612: // no route from `From` to `To`
    case 21614: // `To` is no mobile number
    case 21635: // `To` is a landline
    case 30003: // unreachable handset
    case 30004: // blocked by the recipient or the carrier
    case 30005: // unknown handset
    case 30006: // landline or unreachable carrier
    case 30007: // filtered by the carrier
    case 30450: // numbers with this prefix are blocked because of suspected fraud
    case 60410: // as 30450, by Fraud Guard
        return Outcome::unreachable;
    default:
        return Outcome::refused;
    }
}

SendResult read_answer(unsigned status, std::string_view body)
{
    boost::system::error_code fault;
    auto const document = boost::json::parse(body, fault);
    auto const* const object = fault ? nullptr : document.if_object();
    if (status >= 200 && status < 300) {
        auto const* const sid = object != nullptr ? object->if_contains("sid") : nullptr;
        // A 200 without a sid may come from another server and does not prove that the message was accepted.
        if (sid == nullptr || !sid->is_string() || sid->get_string().empty())
            return {.outcome = Outcome::unknown, .status = status};
        return {
            .outcome = Outcome::accepted, .provider_id = std::string(sid->get_string()), .status = status};
    }
    unsigned const code = code_in(object);
    auto const outcome = may_be_created(status) ? Outcome::unknown : outcome_of(code);
    return {.outcome = outcome, .provider_id = {}, .code = code, .status = status};
}

http_client::Request Sender::request_for(Message const& message, std::chrono::milliseconds timeout) const
{
    http_client::Request request;
    request.method = "POST";
    request.url = account_.base_url + "/2010-04-01/Accounts/" + account_.sid + "/Messages.json";
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"},
        {"Authorization",
            "Basic " + crypto::base64::encode(account_.sid + ':' + account_.auth_token.reveal())}};
    request.body = "To=" + core::percent_encode(message.to.text()) +
                   (is_service(account_.from) ? "&MessagingServiceSid=" : "&From=") +
                   core::percent_encode(account_.from) + "&Body=" + core::percent_encode(message.body);
    if (!message.status_callback.empty())
        request.body += "&StatusCallback=" + core::percent_encode(message.status_callback);
    if (!message.traceparent.empty()) request.headers.emplace_back("traceparent", message.traceparent);
    request.timeout = timeout;
    request.connect_timeout = std::min(request.connect_timeout, timeout);
    request.send_once = true;
    return request;
}

asio::awaitable<SendResult> Sender::send(Message message, std::chrono::milliseconds timeout)
{
    auto const result = co_await http_client::send(client_, request_for(message, timeout));
    if (auto const* const error = std::get_if<http_client::Error>(&result))
        co_return SendResult{.outcome = error->request_sent() ? Outcome::unknown : Outcome::not_sent};
    auto const& response = std::get<http_client::Response>(result);
    SendResult sent = read_answer(response.status, response.body);
    sent.retry_after = response.retry_after;
    co_return sent;
}

std::string sign(core::Secret const& auth_token, std::string_view url, http::Form parameters)
{
    return sign_text(auth_token, url, signed_text(std::move(parameters)));
}

bool is_signed(core::Secret const& auth_token, std::span<std::string const> urls,
    http::Form const& parameters, std::string_view signature)
{
    if (auth_token.empty()) return false;
    std::string const text = signed_text(parameters);
    bool matched = false;
    for (auto const& url : urls)
        matched |= crypto::equal_constant_time(sign_text(auth_token, url, text), signature);
    return matched;
}

Keyword keyword_of(http::Form const& parameters)
{
    static constexpr std::array<std::string_view, 9> stop{
        "STOP", "STOPALL", "STOP ALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"};
    static constexpr std::array<std::string_view, 3> start{"START", "YES", "UNSTOP"};
    std::string const type = core::upper(http::find(parameters, "OptOutType"));
    std::string const word = type.empty() ? core::upper(core::trim(http::find(parameters, "Body"))) : type;
    if (std::ranges::find(stop, word) != stop.end()) return Keyword::stop;
    if (std::ranges::find(start, word) != start.end()) return Keyword::start;
    return Keyword::none;
}

} // namespace sms::twilio
