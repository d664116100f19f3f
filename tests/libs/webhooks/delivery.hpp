#pragma once

#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"
#include "fixture.hpp"
#include "http/client.hpp"
#include "jobs/worker.hpp"
#include "receiver.hpp"
#include "webhooks/sender.hpp"

#include <atomic>
#include <mutex>
#include <sstream>
#include <vector>

namespace webhooks_test {

using testing::Received, testing::Receiver, testing::reply;

/// A fixture that delivers to a receiver whose answer the test sets.
struct Delivery : Fixture {
    explicit Delivery(bool sender_allows_private = true)
        : client({.addresses = http::AddressPolicy(sender_allows_private)})
    {
    }

    std::mutex mutex;
    std::string answer = reply(204);
    Receiver receiver{[this](Received const&) {
        std::lock_guard const lock(mutex);
        return answer;
    }};
    http::Client client;
    std::vector<unsigned> statuses; ///< that the sender told of, under `mutex`
    webhooks::Sender sender{database, clock, keyring, client, [this](unsigned status) {
                                std::lock_guard const lock(mutex);
                                statuses.push_back(status);
                            }};
    std::atomic<int> ended = 0;
    jobs::Worker worker{database, clock, {.queue = webhooks::queue, .threads = 2, .poll = 10ms},
        std::ref(sender), {.finished = [this](auto const&...) { ++ended; }}};

    void answer_with(std::string bytes)
    {
        std::lock_guard const lock(mutex);
        answer = std::move(bytes);
    }

    Created subscribe() { return create(receiver.url("/hook")); }

    /// The only delivery there is.
    json::object delivery(std::string const& webhook_id) { return deliveries(webhook_id).at(0).as_object(); }

    /// Waits until that many attempts were written down.
    void attempts(int number)
    {
        REQUIRE(testing::eventually([&] { return ended == number; }));
    }
};

/// Whether a request is signed with the secret, worked out anew from the specification; `position` among the
/// signatures.
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
