#pragma once

#include "core/config.hpp"
#include "core/secret.hpp"
#include "mail/mailer.hpp"
#include "observe/metrics.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace mail {

/// The settings for sending email. They are the same in every service that sends email.
struct Options {
    bool smtp = false;  ///< EMAIL_PROVIDER=smtp
    std::string outbox; ///< EMAIL_OUTBOX: the directory for .eml files, with EMAIL_PROVIDER=outbox
    /// SMTP_URL: `smtp://user:password@host:587`, `smtps://...`; user and password are optional.
    core::Secret smtp_url;
    bool require_tls = false;     ///< SMTP_REQUIRE_TLS, as in SmtpOptions
    std::size_t connections = 20; ///< SMTP_CONNECTIONS, as SmtpOptions::max_connections
    Mailbox from;                 ///< EMAIL_FROM: the shared sender, `Name <address>` or `address`

    /// Reads the settings. Errors are collected in `config`. `local_sender` is the default of EMAIL_FROM with
    /// EMAIL_PROVIDER=outbox, in the form of EMAIL_FROM.
    static Options read(core::Config& config, std::string_view local_sender);
};

/// Makes the mailer. `ca_file` is OUTBOUND_CA_FILE; if it is empty, the system's root certificates are used.
/// `metrics` counts the responses as provider `email` and must outlive the mailer. Throws std::runtime_error
/// if the outbox's directory cannot be created, or the root certificates cannot be read.
std::unique_ptr<Mailer> make_mailer(
    Options const& options, std::string const& ca_file, observe::Metrics& metrics);

} // namespace mail
