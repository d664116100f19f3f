#pragma once

#include "receiver.hpp"
#include "support/http_client.hpp"
#include "support/json.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <string>

namespace testing {

/// Callers of `POST /v1/webhooks/{webhookId}/test`. `manager` may manage the webhooks of its scope, `user` is
/// a user of this scope without a role, and `elsewhere` may manage the webhooks of another scope.
struct WebhookCallers {
    HttpClient manager, user, elsewhere;
};

/// Checks that a service tests webhooks: a manager of the scope gets the result, and others nothing. The test
/// needs the library testing_receiver.
inline void check_webhook_tests(WebhookCallers callers)
{
    std::atomic<unsigned> status = 200;
    Receiver const receiver([&](Received const&) { return reply(status, "body"); });
    auto const made =
        require(201, callers.manager.post("/v1/webhooks", body({{"url", receiver.url("/hook")}})));
    auto const webhook = "/v1/webhooks/" + text(made.json(), "webhookId"), path = webhook + "/test";
    require(200, callers.manager.post(webhook + "/rotate-secret", "{}"));

    auto const delivered = require(200, callers.manager.post(path, "")).json();
    auto const sent = receiver.received().at(0);
    CHECK(sent.target == "/hook");
    auto const event = boost::json::parse(sent.body);
    CHECK(text(event, "type") == "webhook.test");
    CHECK(event.at("data") == boost::json::value{{"webhookId", made.json().at("webhookId")}});
    CHECK(std::ranges::count(sent.headers.at("webhook-signature"), ' ') == 1); // both secrets
    CHECK(text(delivered, "status") == "delivered");
    CHECK(text(delivered, "messageId") == sent.headers.at("webhook-id"));
    CHECK(delivered.at("responseCode") == 200);
    CHECK(delivered.at("error").is_null());
    CHECK(text(delivered, "responseExcerpt") == "body");

    status = 503;
    auto const failed = require(200, callers.manager.post(path, "")).json();
    CHECK(text(failed, "status") == "failed");
    CHECK(failed.at("responseCode") == 503);
    CHECK(text(failed, "error") == "the endpoint answered 503");

    CHECK(callers.user.post(path, "").status == 403);
    CHECK(callers.elsewhere.post(path, "").status == 404);
    CHECK(receiver.received().size() == 2);
    CHECK(callers.manager.get(webhook + "/deliveries").json().at("items").as_array().empty());
    callers.manager.del(webhook);
}

} // namespace testing
