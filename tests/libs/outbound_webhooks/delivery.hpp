#pragma once

#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"
#include "fixture.hpp"
#include "http_client/async_client.hpp"
#include "jobs/async_worker.hpp"
#include "outbound_webhooks/sender.hpp"
#include "receiver.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <sstream>
#include <vector>

namespace webhooks_test {

using testing::Received, testing::Receiver, testing::reply;

/// A fixture that delivers to a receiver whose response the test sets.
struct Delivery : Fixture {
    explicit Delivery(bool sender_allows_private = true,
        std::chrono::milliseconds patience_of_attempts = outbound_webhooks::attempt_timeout)
        : patience(patience_of_attempts),
          client({.addresses = http_client::AddressPolicy(sender_allows_private)})
    {
    }

    std::chrono::milliseconds patience; ///< time limit of an attempt
    std::mutex mutex;
    std::string answer = reply(204);
    /// The responses to events of some types. They take precedence over `answer`.
    std::map<std::string, std::string> answers;
    Receiver receiver{[this](Received const& r) {
        std::lock_guard const lock(mutex);
        auto const it = answers.find(std::string(json::parse(r.body).at("type").as_string()));
        return it == answers.end() ? answer : it->second;
    }};
    http_client::AsyncClient client;
    std::vector<unsigned> statuses; ///< reported by the sender; protected by `mutex`
    std::atomic<int> put_off = 0;
    outbound_webhooks::Sender sender{database, clock, keyring, client,
        {.answered =
                [this](unsigned status) {
                    std::lock_guard const lock(mutex);
                    statuses.push_back(status);
                },
            .put_off = [this](outbound_webhooks::Admission::Reason) { ++put_off; }},
        patience};
    std::atomic<int> ended = 0;
    jobs::AsyncWorker worker{
        database, clock, options(), sender.handler(), {.finished = [this](auto const&...) { ++ended; }}};

    static jobs::AsyncWorkerOptions options()
    {
        auto options = outbound_webhooks::Sender::options();
        options.poll = 10ms;
        return options;
    }

    void answer_with(std::string bytes)
    {
        std::lock_guard const lock(mutex);
        answer = std::move(bytes);
        answers.clear();
    }

    /// Responds with this response to events of that type, and with `answer` to other events.
    void answer_for(std::string const& type, std::string bytes)
    {
        std::lock_guard const lock(mutex);
        answers[type] = std::move(bytes);
    }

    Created subscribe() { return create(receiver.url("/hook")); }

    /// The only delivery.
    json::object delivery(std::string const& webhook_id) { return deliveries(webhook_id).at(0).as_object(); }

    /// Waits until this number of attempts has been recorded.
    void attempts(int number)
    {
        REQUIRE(testing::eventually([&] { return ended == number; }));
    }
};

/// Whether a request is signed with the secret, computed independently from the specification. `position` is
/// the index among the signatures.
inline bool is_signed(Received const& request, std::string const& secret, std::size_t position = 0)
{
    std::istringstream list(request.headers.at("webhook-signature"));
    std::string signature;
    for (std::size_t i = 0; i <= position; ++i) {
        if (!(list >> signature)) return false;
    }
    std::string const content =
        request.headers.at("webhook-id") + '.' + request.headers.at("webhook-timestamp") + '.' + request.body;
    auto const key = crypto::base64::decode(secret.substr(6));
    return signature ==
           "v1," + crypto::base64::encode(crypto::view(crypto::hmac_sha256(key.value(), content)));
}

} // namespace webhooks_test
