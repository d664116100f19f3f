#include "sms/twilio_webhook.hpp"

#include "core/error.hpp"

#include <utility>
#include <vector>

namespace sms::twilio {

namespace {

std::vector<std::string> addresses_of(http::Request const& request, std::string const& webhook_url)
{
    if (webhook_url.empty()) {
        std::string const rest = std::string(request.header("Host").value_or("")).append(request.target);
        return {"https://" + rest, "http://" + rest};
    }
    std::string address = webhook_url.substr(0, webhook_url.find('?'));
    if (!request.query.empty()) address.append("?").append(request.query);
    return {std::move(address)};
}

http::Form parse(http::Request const& request)
{
    auto const type = request.header("Content-Type").value_or("");
    if (!type.starts_with("application/x-www-form-urlencoded"))
        throw core::Error(core::codes::unsupported_media_type,
            "The body must be a form (application/x-www-form-urlencoded).");
    auto parameters = http::parse_form(request.body);
    if (!parameters)
        throw core::Error::validation(
            {{"", "format", "must be a well-formed form with at most 100 parameters"}});
    return std::move(*parameters);
}

} // namespace

http::Form require_signed(
    http::Request const& request, core::Secret const& auth_token, std::string const& webhook_url)
{
    auto parameters = parse(request);
    auto const signature = request.header("X-Twilio-Signature").value_or("");
    if (!is_signed(auth_token, addresses_of(request, webhook_url), parameters, signature))
        throw core::Error(core::codes::unauthorized,
            "The signature in X-Twilio-Signature is missing or does not match this request.");
    return parameters;
}

std::optional<OptOutMessage> read_opt_out_message(http::Form const& parameters)
{
    auto phone = PhoneNumber::parse(http::find(parameters, "From"));
    Keyword const keyword = keyword_of(parameters);
    if (!phone || keyword == Keyword::none) return std::nullopt;
    return OptOutMessage{*std::move(phone), keyword};
}

http::Response no_reply()
{
    return {
        .body = R"(<?xml version="1.0" encoding="UTF-8"?><Response></Response>)", .content_type = "text/xml"};
}

} // namespace sms::twilio
