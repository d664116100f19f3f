#pragma once

#include "core/clock.hpp"
#include "service/forward_declarations.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <string>

namespace mail {
class Mailer; // mail/mailer.hpp
}

namespace notify {

namespace asio = boost::asio;

class PushSender; // providers/push_sender.hpp

/// The dependencies of the job handlers. All of them outlive the handlers, and must work until the workers
/// have stopped.
struct WorkerDeps {
    pg::Database& db;
    redis::Client& redis;          ///< counts the messages of the shared SMS sender
    tenancy::Directory& directory; ///< finds the tenant of a job
    blobs::BlobStore& blobs;       ///< attachments of emails
    http_client::Client& client;   ///< may reach the URLs that the operator configured: S3, Twilio
    std::string outbound_ca_file;  ///< of `client` (http_client::ClientOptions)
    crypto::Keyring const& keyring;
    PushSender& push;
    mail::Mailer& mailer;
    asio::io_context& io;        ///< runs coroutines for worker threads (Runtime::io.first())
    std::size_t broadcast_chunk; ///< devices per chunk of a broadcast
    core::Clock const& clock;
    observe::Logger& logger;
    observe::Metrics& metrics;
};

} // namespace notify
