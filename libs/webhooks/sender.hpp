#pragma once

#include "core/clock.hpp"
#include "http/client.hpp"
#include "jobs/worker.hpp"
#include "pg/database.hpp"

#include <functional>
#include <stop_token>
#include <utility>

namespace crypto {
class Keyring;
}

namespace webhooks {

/// Delivers what `publish` wrote, following Standard Webhooks (https://www.standardwebhooks.com): the handler
/// of `webhooks::queue`.
///
///     webhooks::Sender const sender(db, clock, keyring, client);
///     jobs::Worker worker(db, clock, {.queue = webhooks::queue, .threads = 16}, std::ref(sender));
class Sender {
public:
    /// Told of the status of each answer; 0: there was none. On the worker's threads.
    using Answered = std::function<void(unsigned status)>;

    /// References outlive the sender. `client`'s AddressPolicy decides where deliveries may go.
    Sender(pg::Database& database, core::Clock const& clock, crypto::Keyring const& keyring,
        http::Client& client, Answered answered = {})
        : database_(database), clock_(clock), keyring_(keyring), client_(client),
          answered_(std::move(answered))
    {
    }

    /// One attempt at one delivery, at most 15 s, or 5 s from when `stop` is requested: one that is cut off
    /// then does not count and is due at once. While the tenant is suspended nothing is sent, and the
    /// delivery waits
    /// (`jobs::Handler`). Any thread.
    jobs::Outcome operator()(jobs::Claim& claim, std::stop_token const& stop) const;

private:
    pg::Database& database_;
    core::Clock const& clock_;
    crypto::Keyring const& keyring_;
    http::Client& client_;
    Answered const answered_;
};

} // namespace webhooks
