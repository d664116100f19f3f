#pragma once

#include "core/id.hpp"
#include "mail/message.hpp"
#include "mail/send_result.hpp"

#include <memory>
#include <stop_token>
#include <string>

namespace mail {

class DkimSigner; // mail/dkim.hpp

/// A composed message for a transport.
struct Envelope {
    core::Uuid id;
    std::string from, to; ///< addresses of the envelope (RFC 5321, 3.3)
    std::string message;  ///< RFC 5322, lines end in CR LF
};

/// Sends messages. Implementations are thread-safe.
class Transport {
public:
    virtual ~Transport() = default;

    /// Sends one message. The call blocks, so make it on a worker thread. After `stop` was requested, the
    /// call returns early with `transient`, unless the server has the whole message and responds soon.
    virtual SendResult deliver(Envelope const& envelope, std::stop_token const& stop) = 0;
};

/// Composes, signs and sends messages. Thread-safe.
class Mailer {
public:
    /// `shared` is the sender of messages without a sender of their own (EMAIL_FROM).
    Mailer(Mailbox shared, std::unique_ptr<Transport> transport);
    ~Mailer();

    /// Sends a message. Blocks for at most about two minutes, so call it on a worker thread. Returns
    /// `refused` with the reason `INVALID_HEADER` if a header value contains CR, LF or NUL, or an address is
    /// invalid. If the connection is lost after the message was sent, the outcome is `transient`, because
    /// SMTP requires that the message is sent again (RFC 5321, 4.5.3.2). The repeated message has the same
    /// Message-ID. Throws std::runtime_error if the key of the message's own sender is invalid.
    SendResult send(Message const& message, std::stop_token const& stop = {});

private:
    Mailbox const shared_;
    std::unique_ptr<Transport> const transport_;
    std::unique_ptr<DkimSigner const> const signer_;
};

} // namespace mail
