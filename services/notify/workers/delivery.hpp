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

/// What the delivery of notifications works with. All of it outlives the Delivery, and is still working while
/// its workers are being stopped.
struct DeliveryDeps {
    pg::Database& db;
    redis::Client& redis;          ///< counts what the shared SMS sender has sent
    tenancy::Directory& directory; ///< whose notifications they are
    blobs::BlobStore& blobs;       ///< attachments of emails
    http::Client& client;          ///< to addresses the operator configured: Twilio, S3
    crypto::Keyring const& keyring;
    Push& push;
    Mailer& mailer;
    asio::io_context& io;        ///< where what can only be awaited runs (Runtime::io.first())
    std::size_t broadcast_chunk; ///< devices in a chunk of a broadcast
    core::Clock const& clock;
    observe::Logger& logger;
    observe::Metrics& metrics;
};

/// Sends what was accepted: the handlers of `queue_of(Channel)`, one queue a channel, and of broadcasts, each
/// with workers of its own, so that a provider that hangs holds up nobody else's channel, and a broadcast no
/// direct send.
///
/// A handler loads the notification, lets domain/ decide, asks the provider, and writes status, event,
/// webhook, pruned devices and suppressed numbers in the transaction that ends the claim. What was
/// acknowledged, opened or cancelled meanwhile is not sent. A process that dies between the provider's answer
/// and that transaction repeats what it had in flight, under the same apns-id, collapse id or Message-ID.
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

    /// The workers to run, for Platform::add_worker; their handlers live as long as this object.
    std::vector<Queue> queues() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace notify
