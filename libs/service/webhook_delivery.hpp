#pragma once

#include "http_client/async_client.hpp"
#include "observe/metrics.hpp"
#include "outbound_webhooks/sender.hpp"
#include "service/service.hpp"

#include <array>

namespace crypto {
class Keyring;
}

namespace pg {
class Database;
}

namespace service {

/// Sends the outbound webhooks of a service, and shows the metrics of their deliveries.
class WebhookDelivery {
public:
    /// `addresses`: the addresses that deliveries may reach. The references, also those in `runtime`, must
    /// outlive this object.
    WebhookDelivery(pg::Database& database, Runtime const& runtime, crypto::Keyring const& keyring,
        http_client::AddressPolicy const& addresses);

    /// The handler for the worker of outbound_webhooks::queue. This object must outlive the worker.
    jobs::AsyncHandler handler() { return sender_.handler(); }

private:
    using Sender = outbound_webhooks::Sender;

    void make_counters(observe::Metrics& metrics);
    void show_load(observe::Metrics& metrics);
    void count_attempt(unsigned status) noexcept;

    std::array<prometheus::Counter*, 5> attempts_{}; ///< by status: none, `2xx`, ..., `5xx`
    std::array<prometheus::Counter*, 3> put_off_{};  ///< by outbound_webhooks::Admission::Reason
    http_client::AsyncClient client_;
    Sender sender_;
};

} // namespace service
