#pragma once

#include "core/clock.hpp"
#include "http_client/async_client.hpp"
#include "outbound_webhooks/attempt_rows.hpp"
#include "outbound_webhooks/policy.hpp"

#include <chrono>
#include <stop_token>

namespace crypto {
class Keyring;
}

/// One attempt: the signed request, and its result. Deliveries and tests of webhooks use the same functions.
namespace outbound_webhooks {

/// The request of an attempt, signed according to Standard Webhooks with all secrets of `attempt`. The header
/// `webhook-id` is `attempt.key.delivery_id`. Moves the payload out of `attempt`, which must have one. After
/// `stop`, the request ends within `stop_grace`. Throws std::runtime_error if a secret cannot be decrypted.
http_client::Request make_request(crypto::Keyring const& keyring, store::Attempt& attempt, core::Time now,
    std::chrono::milliseconds timeout, std::stop_token stop);

/// The result of an attempt.
struct AttemptResult {
    Answer answer;
    store::Report report; ///< its texts reveal nothing about our network
    bool stopped = false; ///< aborted because the process stops
    bool timed_out = false;

    /// Whether the endpoint accepted the event: its status is 2xx.
    bool accepted() const noexcept { return answer.status >= 200 && answer.status < 300; }
};

AttemptResult read_result(http_client::Result result);

} // namespace outbound_webhooks
