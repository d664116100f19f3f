#pragma once

#include "providers/mail.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace notify {

/// A server that takes messages for the whole world (RFC 6409).
struct SmtpOptions {
    /// `smtp://[user:password@]host[:port][/name]`, `smtps://...`; what is special in user and password is
    /// percent-encoded, `name` is how we introduce ourselves (EHLO).
    core::Secret url;
    bool require_tls = false; ///< with `smtp://`: nothing is sent to a server that does not offer STARTTLS
    std::string ca_file{};    ///< PEM roots trusted instead of the system's; empty: the system's
    std::chrono::milliseconds connect_timeout{15'000}; ///< greeting, TLS and authentication included
    std::chrono::seconds reply_timeout{60};            ///< for each command
    std::chrono::milliseconds timeout{120'000};        ///< for a whole message
    std::chrono::milliseconds farewell{8'000};         ///< for the last answer, once told to stop
    std::size_t max_idle = 8;                          ///< connections kept open
};

/// Whether `url` is one that SmtpOptions takes.
bool is_smtp_url(std::string const& url);

/// What a negative reply (RFC 5321, 4.2; RFC 3463) means: 4yz is transient; of 5yz those that say that the
/// mailbox does not exist (5.1.1, 5.1.6, 5.1.10, 5.2.1) are `gone`, those that ask for authentication or
/// refuse it `credential`, the rest `refused`. The reason is the reply's code and its first line.
Answer read_smtp_reply(unsigned code, std::string_view first_line);

/// Submits through libcurl: STARTTLS where it is offered (`smtp://`) or TLS from the start (`smtps://`),
/// certificates verified, AUTH where the URL has a user, connections kept and used again.
///
/// One that the server closed while it was idle is replaced and the message sent on the new one. When the
/// answer behind a whole message is missing it is `transient`: see Mailer::send.
class Smtp final : public MailTransport {
public:
    explicit Smtp(SmtpOptions options);
    ~Smtp() override;

    Answer deliver(Envelope const& envelope, std::stop_token const& stop) override;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace notify
