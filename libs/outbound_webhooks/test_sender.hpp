#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/shares.hpp"
#include "outbound_webhooks/attempt.hpp"
#include "outbound_webhooks/attempt_rows.hpp"
#include "outbound_webhooks/policy.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string_view>
#include <utility>

namespace crypto {
class Keyring;
}

namespace redis {
class RateLimiter;
}

namespace outbound_webhooks {

namespace asio = boost::asio;

/// The type of the events that TestSender sends. Webhooks cannot subscribe to it.
inline constexpr std::string_view test_event = "webhook.test";

/// Maximum number of tests that a scope may begin within a minute, at all replicas together.
inline constexpr std::int64_t max_tests_per_minute = 10;
/// Maximum number of tests that a replica has in flight, of all tenants.
inline constexpr std::size_t max_tests = 64;
/// Maximum numbers of tests that a replica has in flight for a tenant, and for one of its scopes.
inline constexpr std::size_t max_tests_of_tenant = 4, max_tests_of_scope = 3;

/// Sends test events, each to one webhook, at once and without retries, as deliveries are sent: by the same
/// client and so with the same address policy, and with the same time limit. No thread waits for an endpoint.
/// A test has no row in `webhook_deliveries`, does not change the webhook, and does not affect the admission
/// of deliveries. Thread-safe.
class TestSender {
public:
    /// The references must outlive the sender.
    struct Deps {
        crypto::Keyring const& keyring;
        http_client::AsyncClient& client;
        redis::RateLimiter& limiter;
        core::Clock const& clock;
    };

    /// Called when a test ended, on any thread; 0 means no response. May be empty.
    using Tested = std::function<void(unsigned status)>;

    /// `timeout` is the time limit of a test.
    explicit TestSender(
        Deps const& deps, Tested tested = {}, std::chrono::milliseconds timeout = attempt_timeout);

    /// The place of a test in flight. The place is free when the object is destroyed.
    using Place = std::shared_ptr<void const>;

    /// Takes a place for a test of the webhook. Throws RATE_LIMITED if the webhook is being tested, or if the
    /// scope, the tenant or this replica has its maximum number of tests in flight.
    Place enter(core::ScopeId scope_id, core::Uuid const& webhook_id);

    /// Counts a test of the scope. Throws RATE_LIMITED with Retry-After if the scope has begun
    /// `max_tests_per_minute` tests within the last minute, and redis::Unavailable if that is unknown.
    asio::awaitable<void> count(core::ScopeId scope_id);

    struct Outcome {
        AttemptResult result;
        std::chrono::milliseconds took{};
    };

    /// Sends the payload of `attempt` (`store::load_test_attempt`) with the message id
    /// `attempt.key.delivery_id`. Throws UNAVAILABLE if the test was aborted because the process stops.
    asio::awaitable<Outcome> send(store::Attempt attempt);

    /// Ends all tests, also future ones, within `stop_grace`.
    void request_stop() noexcept { stop_.request_stop(); }

    std::size_t in_flight() const;

private:
    using Key = std::pair<core::ScopeId, core::Uuid>;

    struct Places {
        std::mutex mutex;
        core::OwnerShares shares{max_tests, 1, max_tests / max_tests_of_tenant - 1};
        std::set<Key> webhooks; ///< being tested
    };

    Deps const deps_;
    Tested const tested_;
    std::chrono::milliseconds const timeout_;
    std::shared_ptr<Places> const places_ = std::make_shared<Places>();
    std::stop_source stop_;
};

} // namespace outbound_webhooks
