#pragma once

#include "core/config.hpp"
#include "core/secret.hpp"
#include "observe/metrics.hpp"
#include "providers/mail.hpp"

#include <memory>
#include <string>

namespace notify {

/// How email leaves the house, and who is asked about DNS records.
struct MailOptions {
    bool smtp = false;  ///< EMAIL_PROVIDER=smtp
    std::string outbox; ///< EMAIL_OUTBOX: the directory, with EMAIL_PROVIDER=outbox
    core::Secret
        smtp_url; ///< SMTP_URL: `smtp://user:password@host:587`, `smtps://...`; user info is optional
    bool require_tls = false; ///< SMTP_REQUIRE_TLS: refuse an `smtp://` server that does not offer STARTTLS
    Mailbox from;             ///< EMAIL_FROM: the shared sender, `Name <address>` or `address`
    std::string dns_servers;  ///< DNS_SERVERS: `ip[:port],...`; empty: the system's

    /// Faults are recorded in `config`.
    static MailOptions read(core::Config& config);
};

/// `ca_file`: OUTBOUND_CA_FILE; empty: the system's roots. Answers are counted in `metrics`, which outlive
/// the mailer, as those of provider `email`. Throws std::runtime_error when the outbox's directory cannot be
/// made.
std::unique_ptr<Mailer> make_mailer(
    MailOptions const& options, std::string const& ca_file, observe::Metrics& metrics);

} // namespace notify
