#pragma once

#include "mail/mailer.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace mail {

/// A submission server (RFC 6409).
struct SmtpOptions {
    /// `smtp://[user:password@]host[:port][/name]` or `smtps://...`. Special characters in user and password
    /// are percent-encoded. `name` is the client name in EHLO.
    core::Secret url;
    /// Whether an `smtp://` server that does not offer STARTTLS is refused. If `url` has a user, such a
    /// server is always refused, before the login.
    bool require_tls = false;
    std::string
        ca_file{}; ///< PEM file of trusted root certificates; if empty, the system's roots are trusted
    std::chrono::milliseconds connect_timeout{15'000}; ///< includes greeting, TLS and authentication
    std::chrono::seconds reply_timeout{60};            ///< for the reply to each command
    std::chrono::milliseconds timeout{120'000};        ///< for a whole message
    std::chrono::milliseconds stop_grace{8'000};       ///< for the last response after a stop request
    std::size_t max_idle = 8;                          ///< connections kept open
};

/// Whether `url` is valid for SmtpOptions.
bool is_smtp_url(std::string const& url);

/// Interprets a negative reply (RFC 5321, 4.2; RFC 3463):
///
/// - 4yz: `transient`.
/// - 5yz with 5.1.1, 5.1.6, 5.1.10 or 5.2.1 (the mailbox does not exist): `gone`.
/// - 5yz that requests or refuses authentication: `credential`.
/// - Any other 5yz: `refused`.
///
/// The reason is `first_line` if it begins with the code, else the code alone.
SendResult read_smtp_reply(unsigned code, std::string_view first_line);

/// Submits messages through libcurl. Uses STARTTLS if the server offers it (`smtp://`), or TLS from the start
/// (`smtps://`). Verifies certificates, authenticates over TLS if the URL has a user, and reuses connections.
///
/// If the server has closed an idle connection, the message is sent on a new connection. If the connection is
/// lost after the whole message was sent, the outcome is `transient` (see Mailer::send).
class Smtp final : public Transport {
public:
    explicit Smtp(SmtpOptions options);
    ~Smtp() override;

    SendResult deliver(Envelope const& envelope, std::stop_token const& stop) override;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace mail
