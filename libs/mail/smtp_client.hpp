#pragma once

#include "mail/mailer.hpp"
#include "mail/smtp_url.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace mail {

/// A submission server (RFC 6409), and the limits of its client.
struct SmtpOptions {
    /// `smtp://[user:password@]host[:port][/name]` or `smtps://...`. Special characters in user and password
    /// are percent-encoded. `name` is the client name in EHLO.
    core::Secret url;
    /// Whether an `smtp://` server that does not offer STARTTLS is refused. If `url` has a user, such a
    /// server is always refused, before the login.
    bool require_tls = false;
    std::string
        ca_file{}; ///< PEM file of trusted root certificates; if empty, the system's roots are trusted
    std::size_t max_connections = 20;
    std::size_t max_queued = 2'000;                       ///< messages without a result
    std::size_t max_queued_bytes = std::size_t{64} << 20; ///< of these messages
    std::chrono::milliseconds connect_timeout{15'000};    ///< includes greeting, TLS and authentication
    std::chrono::milliseconds reply_timeout{60'000};      ///< for the reply to each command
    std::chrono::milliseconds timeout{120'000};           ///< for a whole message, half of it in the queue
    std::chrono::milliseconds stop_grace{8'000};          ///< for the last response after a stop request
    std::chrono::milliseconds idle_timeout{45'000};       ///< until an unused connection is closed
};

/// Submits messages (RFC 5321) on a thread of its own. Uses STARTTLS if the server offers it (`smtp://`), or
/// TLS from the start (`smtps://`). Verifies certificates, and authenticates over TLS if the URL has a user.
///
/// Connections are kept, also after a refused recipient. The commands of a message are sent in one piece if
/// the server offers PIPELINING (RFC 2920). One connection is opened for every few waiting messages.
///
/// If the server has closed an idle connection, the message is sent on a new connection. If the connection is
/// lost after the whole message was sent, the outcome is `transient` (see Mailer::send). After a connection
/// could not be opened, the client waits up to five seconds, or thirty after a refused login, before it opens
/// the next one. While there is no connection, messages end at once with the reason of the last failure.
///
/// Tenants share the connections (core::Shares): a single tenant may send on at most four fifths of them, so
/// that a tenant whose messages are slow leaves some to others. A single connection is not shared. Tenants
/// with waiting messages take turns. The limits of the queue are shared in the same way.
///
/// A message ends with `transient` and the reason `BUSY` if the queue is full, or if its tenant has used up
/// its share of the queue.
class SmtpClient final : public Transport {
public:
    /// Throws std::invalid_argument if the URL is invalid, and std::runtime_error if the root certificates
    /// cannot be read.
    explicit SmtpClient(SmtpOptions options);

    /// Ends like a stop request for all messages.
    ~SmtpClient() override;

    /// Never blocks. Calls `done` on the client's thread. After `stop` was requested, a message that was not
    /// sent ends with `transient` and the reason `STOPPED`. If the server may have the whole message, its
    /// reply is awaited for `stop_grace`.
    void deliver(Envelope envelope, std::stop_token stop, Done done) override;

    Stats stats() const noexcept override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace mail
