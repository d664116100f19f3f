// Signs some messages and prints each as a line of JSON, for verify.mjs.
#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/json_writer.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "outbound_webhooks/signature.hpp"
#include "outbound_webhooks/test_sender.hpp"

#include <iostream>
#include <string>

int main()
{
    core::Time const now = core::SystemClock().now();
    std::string const bodies[] = {
        R"({"type":"feedback.created","timestamp":"2026-01-01T00:00:00.000Z","data":{"title":"x"}})",
        outbound_webhooks::payload_of(
            {.type = outbound_webhooks::test_event, .data_json = R"({"webhookId":"x"})", .at = now}),
        R"({"data":{"text":"Grüße, 世界 🎉 \" \\ \u0000"}})",
        R"({"type":"long","data":")" + std::string(100'000, 'x') + R"("})",
        "{}",
    };
    for (auto const& body : bodies) {
        core::Secret const secret = outbound_webhooks::new_secret();
        core::Secret const former = outbound_webhooks::new_secret();
        std::string const id = core::Uuid::v7().to_string();
        // During a rotation there are two signatures: one with another secret and one with the right secret.
        std::string const signatures = outbound_webhooks::sign(former, id, now, body) + ' ' +
                                       outbound_webhooks::sign(secret, id, now, body);
        core::JsonWriter line;
        line.begin_object()
            .member("secret", secret.reveal())
            .member("id", id)
            .member("timestamp", outbound_webhooks::timestamp_header(now))
            .member("signature", signatures)
            .member("body", body)
            .end_object();
        std::cout << std::move(line).str() << '\n';
    }
    return 0;
}
