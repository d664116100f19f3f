#pragma once

#include "core/text.hpp"
#include "sms/twilio.hpp"
#include "support/twilio.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>

/// Helpers for tests of text messages.
namespace texting {

using testing::TwilioServer;

namespace json = boost::json;
namespace twilio = sms::twilio;

inline constexpr char const* number = "+14155550100";
inline constexpr char const* public_address = "https://hooks.example.com/webhooks/sms/twilio";

inline World::Options with_twilio(TwilioServer const& server, std::map<std::string, std::string> more = {})
{
    more.merge(std::map<std::string, std::string>{{"SMS_PROVIDER", "twilio"},
        {"TWILIO_BASE_URL", server.url()}, {"TWILIO_ACCOUNT_SID", TwilioServer::account_sid},
        {"TWILIO_AUTH_TOKEN", TwilioServer::auth_token}, {"TWILIO_FROM", TwilioServer::from},
        {"TWILIO_WEBHOOK_URL", public_address}});
    return {.environment = std::move(more)};
}

/// The service with a simulated Twilio, and a template for text messages.
struct Fixture {
    explicit Fixture(std::map<std::string, std::string> more = {})
        : world(with_twilio(server, std::move(more)))
    {
        world.new_template("code", {{"channel", "sms"}, {"body", "Your code is {{code}}."}});
    }

    std::string send(std::string const& to = number)
    {
        return world.send({{"templateName", "code"}, {"channel", "sms"}, {"to", to},
            {"variables", json::object{{"code", "1234"}}}});
    }

    /// Sends a message that Twilio accepts. Returns its id and status callback URL.
    std::pair<std::string, std::string> sent()
    {
        auto const id = send();
        REQUIRE(world.becomes(id, "sent"));
        return {id, server.accepted().back().at("StatusCallback")};
    }

    /// `queued_at` as in the status callback URL.
    std::string queued_at(std::string const& id) const
    {
        return world.postgres.query(R"(
            SELECT (extract(epoch FROM queued_at) * 1000000)::bigint
            FROM notifications
            WHERE notification_id = ')" +
                                    id + "'");
    }

    /// The number of messages that are postponed and not being sent.
    int put_off() const
    {
        return std::stoi(world.postgres.query(R"(
            SELECT count(*)
            FROM jobs
            WHERE queue = 'notify.sms' AND lease_owner IS NULL AND run_at > ')" +
                                              core::to_rfc3339(world.clock.now() + 1ms) + "'"));
    }

    /// The number of attempts that have begun and have no outcome yet.
    int open_attempts() const
    {
        return std::stoi(world.postgres.query(
            "SELECT count(*) FROM notifications WHERE status = 'queued' AND attempt_token IS NOT NULL"));
    }

    TwilioServer server;
    World world;
};

inline std::string form_of(http::Form const& parameters)
{
    std::string form;
    for (auto const& [name, value] : parameters)
        form += (form.empty() ? "" : "&") + core::percent_encode(name) + '=' + core::percent_encode(value);
    return form;
}

inline http::Form status_form(
    std::string const& sid, std::string const& status, std::string const& error = {})
{
    http::Form form{{"AccountSid", TwilioServer::account_sid}, {"ApiVersion", "2010-04-01"},
        {"From", TwilioServer::from}, {"MessageSid", sid}, {"MessageStatus", status}, {"SmsSid", sid},
        {"SmsStatus", status}, {"To", number}};
    if (!error.empty()) form.emplace_back("ErrorCode", error);
    return form;
}

/// Posts a callback as Twilio does: to the callback URL, through a proxy.
inline unsigned call_back(World const& world, std::string const& address, http::Form const& form,
    std::optional<std::string> const& signature = std::nullopt)
{
    core::Secret const token(TwilioServer::auth_token);
    testing::HttpClient client("http://127.0.0.1:" + std::to_string(world.host->port()));
    std::string const target = address.substr(address.find('/', std::string("https://").size()));
    auto const r = client.post(target, form_of(form),
        {{"Host", "hooks.example.com"}, {"Content-Type", "application/x-www-form-urlencoded; charset=UTF-8"},
            {"X-Twilio-Signature", signature.value_or(twilio::sign(token, address, form))}});
    INFO(r.body);
    CHECK((r.status != 204 || r.body.empty()));
    return r.status;
}

inline std::string sid(unsigned n)
{
    std::string const digits = std::to_string(n);
    return "SM" + std::string(32 - digits.size(), '0') + digits;
}

/// The statuses of the history, oldest first (the API lists newest first).
inline std::string statuses_of(World const& world, std::string const& id)
{
    auto client = world.as_backend();
    std::string all;
    for (auto const& event : all_items(client, "/v1/notifications/" + id + "/events"))
        all = text(event, "status") + (all.empty() ? "" : " ") + all;
    return all;
}

} // namespace texting
