#pragma once

#include "core/config.hpp"
#include "core/secret.hpp"
#include "observe/metrics.hpp"
#include "providers/mail.hpp"

#include <memory>
#include <string>

namespace notify {

/// How email is sent, and which resolvers are queried for DNS records.
struct MailOptions {
    bool smtp = false;  ///< EMAIL_PROVIDER=smtp
    std::string outbox; ///< EMAIL_OUTBOX: the directory for .eml files, with EMAIL_PROVIDER=outbox
    /// SMTP_URL: `smtp://user:password@host:587`, `smtps://...`; user and password are optional.
    core::Secret smtp_url;
    bool require_tls = false; ///< SMTP_REQUIRE_TLS: refuse an `smtp://` server without STARTTLS
    Mailbox from;             ///< EMAIL_FROM: the shared sender, `Name <address>` or `address`
    std::string dns_servers;  ///< DNS_SERVERS, as in DnsOptions::servers

    /// Reads the variables. Errors are collected in `config`.
    static MailOptions read(core::Config& config);
};

/// Makes the mailer. `ca_file` is OUTBOUND_CA_FILE; if it is empty, the system's root certificates are used.
/// `metrics` counts the responses as provider `email` and must outlive the mailer. Throws std::runtime_error
/// if the outbox's directory cannot be created.
std::unique_ptr<Mailer> make_mailer(
    MailOptions const& options, std::string const& ca_file, observe::Metrics& metrics);

} // namespace notify
