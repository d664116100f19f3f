#pragma once

#include "core/clock.hpp"
#include "jobs/worker.hpp"
#include "pg/database.hpp"
#include "sms/options.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace blobs {
class BlobStore;
}

namespace crypto {
class Keyring;
}

namespace http {
class Client;
}

namespace observe {
class Logger;
class Metrics;
} // namespace observe

namespace redis {
class Client;
}

namespace tenancy {
class Directory;
}

namespace notify {

namespace asio = boost::asio;

class Mailer;
class Push;

/// The dependencies of Delivery. All of them outlive the Delivery object, and must work until its workers
/// have stopped.
struct DeliveryDeps {
    pg::Database& db;
    redis::Client& redis;          ///< counts the messages of the shared SMS sender
    tenancy::Directory& directory; ///< finds the tenant of a notification
    blobs::BlobStore& blobs;       ///< attachments of emails
    http::Client& client;          ///< may reach the URLs that the operator configured: Twilio, S3
    crypto::Keyring const& keyring;
    Push& push;
    Mailer& mailer;
    asio::io_context& io;        ///< runs coroutines for worker threads (Runtime::io.first())
    std::size_t broadcast_chunk; ///< devices per chunk of a broadcast
    core::Clock const& clock;
    observe::Logger& logger;
    observe::Metrics& metrics;
};

/// Delivers accepted notifications and broadcasts. Contains the handlers for the queues of the channels
/// (`queue_of(Channel)`), for broadcasts and for resume jobs. Each queue has its own workers. So a provider
/// that does not answer delays only its own channel, and a broadcast does not delay direct sends.
///
/// A handler loads the notification, calls the provider, and derives the outcome with the rules in domain/.
/// In the transaction that ends the claim, the handler writes the status, the event and the webhook, removes
/// devices and suppresses numbers. A notification that was acknowledged, opened or cancelled before the run
/// is not sent. If the process dies between the provider's answer and the end of that transaction, the
/// deliveries in flight are repeated with the same apns-id, collapse id or Message-ID.
class Delivery {
public:
    Delivery(sms::Options const& sms, DeliveryDeps deps);
    ~Delivery();
    Delivery(Delivery const&) = delete;
    Delivery& operator=(Delivery const&) = delete;

    struct Queue {
        jobs::WorkerOptions options;
        jobs::Handler handler;
    };

    /// The queues to run, for Platform::add_worker. The handlers must not be called after this object was
    /// destroyed.
    std::vector<Queue> queues() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace notify
