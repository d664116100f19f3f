#pragma once

#include "core/id.hpp"
#include "domain/answer.hpp"
#include "domain/email.hpp"

#include <memory>
#include <stop_token>
#include <string>

namespace notify {

class DkimSigner; // providers/dkim.hpp

/// A message as a transport takes it.
struct Envelope {
    core::Uuid id;
    std::string from, to; ///< addresses of the envelope (RFC 5321, 3.3)
    std::string message;  ///< RFC 5322, lines end in CR LF
};

/// How messages leave the house. Implementations are safe from any thread.
class MailTransport {
public:
    virtual ~MailTransport() = default;

    /// Hands one message over, blocking: for worker threads. Once `stop` is requested it ends early, as
    /// `transient` unless the peer has the whole message and answers soon.
    virtual Answer deliver(Envelope const& envelope, std::stop_token const& stop) = 0;
};

/// Composes, signs and hands over. Safe from any thread.
class Mailer {
public:
    /// `shared`: whom mail is from where the scope has no verified domain (EMAIL_FROM).
    Mailer(Mailbox shared, std::unique_ptr<MailTransport> transport);
    ~Mailer();

    /// Blocks, for about two minutes at most: for worker threads. `refused` with reason `INVALID_HEADER` when
    /// a value that becomes a header holds CR, LF or NUL, or an address is none. `provider_id` of an accepted
    /// one is the Message-ID. A message whose fate is unknown (the connection was lost behind it) is
    /// `transient`: SMTP asks for it to be sent again (RFC 5321, 4.5.3.2), under the same Message-ID.
    Answer send(Email const& email, std::stop_token const& stop = {});

private:
    Mailbox const shared_;
    std::unique_ptr<MailTransport> const transport_;
    std::unique_ptr<DkimSigner const> const signer_;
};

} // namespace notify
