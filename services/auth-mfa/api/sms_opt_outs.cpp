#include "api/sms_opt_outs.hpp"

#include "core/error.hpp"
#include "mfa.hpp"
#include "sms/twilio.hpp"
#include "storage/sms_opt_outs.hpp"

#include <vector>

namespace auth_mfa {

namespace {

using sms::twilio::Keyword;

/// The addresses Twilio may have been told: what is configured, else the request's own, in either scheme,
/// because a proxy may have taken TLS off.
std::vector<std::string> addresses_of(http::Request const& req, sms::Options const& options)
{
    if (!options.webhook_url.empty()) return {options.webhook_url};
    std::string const rest = std::string(req.header("Host").value_or("")).append(req.target);
    return {"https://" + rest, "http://" + rest};
}

sms::twilio::Parameters parse_form(http::Request const& req)
{
    auto const type = req.header("Content-Type").value_or("");
    if (!type.starts_with("application/x-www-form-urlencoded"))
        throw core::Error(core::codes::unsupported_media_type, "A form is expected.");
    auto parameters = sms::twilio::parse_form(req.body);
    if (!parameters) throw core::Error::validation({{"", "format", "must be a well-formed form"}});
    return std::move(*parameters);
}

sms::twilio::Parameters require_signed(http::Request const& req, sms::Options const& options)
{
    auto parameters = parse_form(req);
    auto const signature = req.header("X-Twilio-Signature").value_or("");
    if (!sms::twilio::is_signed(
            options.account.auth_token, addresses_of(req, options), parameters, signature))
        throw core::Error(core::codes::unauthorized, "The request is not signed by the provider.");
    return parameters;
}

} // namespace

asio::awaitable<http::Response> receive_message(http::Request const& req, Deps& deps)
{
    auto const parameters = require_signed(req, deps.mfa.sms);
    auto const phone = sms::PhoneNumber::parse(sms::twilio::find(parameters, "From"));
    Keyword const keyword = sms::twilio::keyword_of(parameters);
    if (phone && keyword != Keyword::none) {
        co_await deps.db.transact(pg::Scopes(), [&](pg::Tx& tx) {
            if (keyword == Keyword::stop)
                sms_opt_outs::insert(tx, *phone, deps.clock.now());
            else
                sms_opt_outs::remove(tx, *phone);
        });
    }
    // The carrier answers the keywords itself: there is nothing to say.
    co_return http::Response{
        .body = R"(<?xml version="1.0" encoding="UTF-8"?><Response></Response>)", .content_type = "text/xml"};
}

asio::awaitable<http::Response> clear_opt_out(http::Request const& req, Deps& deps)
{
    auto const phone = sms::PhoneNumber::parse(req.param("phone"));
    bool const cleared = phone && co_await deps.db.transact(pg::Scopes(),
                                      [&](pg::Tx& tx) { return sms_opt_outs::remove(tx, *phone); });
    if (!cleared) throw core::Error(core::codes::not_found, "The number has not opted out.");
    co_return http::Response::ok(R"({"deleted":true})");
}

} // namespace auth_mfa
