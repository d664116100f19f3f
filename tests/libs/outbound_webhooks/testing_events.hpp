#pragma once

#include "delivery.hpp"
#include "outbound_webhooks/test_sender.hpp"
#include "redis/rate_limit.hpp"
#include "support/redis_fixture.hpp"

#include <future>
#include <mutex>
#include <string>
#include <vector>

namespace webhooks_test {

/// A fixture that sends test events.
struct Tests : Fixture {
    explicit Tests(
        bool allow_private = true, std::chrono::milliseconds patience = outbound_webhooks::attempt_timeout)
        : Fixture(allow_private), client({.addresses = http_client::AddressPolicy(allow_private)}),
          sender(
              {.keyring = keyring, .client = client, .limiter = limiter, .clock = clock},
              [this](unsigned status) {
                  std::lock_guard const lock(mutex);
                  statuses.push_back(status);
              },
              patience)
    {
        api.tests = &sender;
    }

    /// A request of the current scope to test the webhook.
    http::Request request_for(std::string const& webhook_id) const
    {
        http::Request request;
        request.method = http::Method::post;
        request.params = {{"webhookId", webhook_id}};
        request.context.request_id = "r1";
        request.context.traceparent = traceparent;
        request.context.scope = scope;
        request.context.caller = {.kind = core::Access::key, .id = "key:fbk_test", .role = "admin"};
        return request;
    }

    /// Starts a test. `request` must outlive it.
    std::future<http::Response> start(http::Request const& request)
    {
        return fixture.start(outbound_webhooks::test_webhook(request, api));
    }

    /// The result of a test.
    json::object test(std::string const& webhook_id)
    {
        auto const request = request_for(webhook_id);
        auto const response = start(request).get();
        CHECK(response.status == 200);
        return json::parse(response.body).as_object();
    }

    /// The error that a test throws.
    core::Error error_of_test(std::string const& webhook_id)
    {
        auto const request = request_for(webhook_id);
        try {
            start(request).get();
        } catch (core::Error const& e) {
            return e;
        }
        throw std::runtime_error("the test succeeded");
    }

    testing::RedisFixture fixture;
    ::redis::RateLimiter limiter{fixture.client, "test"};
    http_client::AsyncClient client;
    std::mutex mutex;
    std::vector<unsigned> statuses; ///< reported by the sender; protected by `mutex`
    outbound_webhooks::TestSender sender;
};

} // namespace webhooks_test
