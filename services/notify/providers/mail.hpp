#pragma once

#include "core/id.hpp"
#include "domain/email.hpp"
#include "domain/send_result.hpp"

#include <memory>
#include <stop_token>
#include <string>

namespace notify {

class DkimSigner; // providers/dkim.hpp

/// A message for a transport.
struct Envelope {
    core::Uuid id;
    std::string from, to; ///< addresses of the envelope (RFC 5321, 3.3)
    std::string message;  ///< RFC 5322, lines end in CR LF
};

/// Sends messages. Implementations are thread-safe.
class MailTransport {
public:
    virtual ~MailTransport() = default;

    /// Sends one message. The call blocks, so make it on a worker thread. After `stop` was requested, the
    /// call returns early with `transient`, unless the server has the whole message and responds soon.
    virtual SendResult deliver(Envelope const& envelope, std::stop_token const& stop) = 0;
};

/// Composes, signs and sends email. Thread-safe.
class Mailer {
public:
    /// `shared` is the sender for scopes without a verified domain (EMAIL_FROM).
    Mailer(Mailbox shared, std::unique_ptr<MailTransport> transport);
    ~Mailer();

    /// Sends an email. Blocks for at most about two minutes, so call it on a worker thread. Returns `refused`
    /// with the reason `INVALID_HEADER` if a header value contains CR, LF or NUL, or an address is invalid.
    /// The `provider_id` of an accepted message is its Message-ID. If the connection is lost after the
    /// message was sent, the verdict is `transient`, because SMTP requires that the message is sent again
    /// (RFC 5321, 4.5.3.2). The repeated message has the same Message-ID.
    SendResult send(Email const& email, std::stop_token const& stop = {});

private:
    Mailbox const shared_;
    std::unique_ptr<MailTransport> const transport_;
    std::unique_ptr<DkimSigner const> const signer_;
};

} // namespace notify
