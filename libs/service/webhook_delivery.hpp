#pragma once

#include "http_client/async_client.hpp"
#include "observe/metrics.hpp"
#include "outbound_webhooks/sender.hpp"
#include "outbound_webhooks/test_sender.hpp"
#include "service/service.hpp"

#include <array>

namespace crypto {
class Keyring;
}

namespace pg {
class Database;
}

namespace redis {
class RateLimiter;
}

namespace service {

/// Sends the outbound webhooks of a service and their tests, and shows the metrics of both.
class WebhookDelivery {
public:
    /// `addresses`: the addresses that deliveries may reach. The references, also those in `runtime`, must
    /// outlive this object.
    WebhookDelivery(pg::Database& database, redis::RateLimiter& limiter, Runtime const& runtime,
        crypto::Keyring const& keyring, http_client::AddressPolicy const& addresses);

    /// The handler for the worker of outbound_webhooks::queue. This object must outlive the worker.
    jobs::AsyncHandler handler() { return sender_.handler(); }

    outbound_webhooks::TestSender& tests() noexcept { return tests_; }

private:
    using Sender = outbound_webhooks::Sender;

    void make_counters(observe::Metrics& metrics);
    void show_load(observe::Metrics& metrics);

    /// By status: none, `2xx`, ..., `5xx`.
    using Answers = std::array<prometheus::Counter*, 5>;

    static Answers make_answers(observe::Metrics& metrics, std::string const& name, std::string const& help);
    static void count(Answers const& answers, unsigned status) noexcept;

    Answers attempts_{}, tested_{};
    std::array<prometheus::Counter*, 3> put_off_{}; ///< by outbound_webhooks::Admission::Reason
    http_client::AsyncClient client_;
    Sender sender_;
    outbound_webhooks::TestSender tests_;
};

} // namespace service
