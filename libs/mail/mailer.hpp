#pragma once

#include "core/id.hpp"
#include "mail/message.hpp"
#include "mail/send_result.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace mail {

/// A composed message for a transport.
struct Envelope {
    core::Uuid id;
    std::string from, to;    ///< addresses of the envelope (RFC 5321, 3.3)
    std::string message;     ///< RFC 5322, lines end in CR LF
    core::TenantId tenant{}; ///< whose message it is
};

/// Receives the result of a message. Must neither block nor throw.
using Done = std::function<void(SendResult)>;

/// Sends messages. Implementations are thread-safe.
class Transport {
public:
    virtual ~Transport() = default;

    /// Sends one message and calls `done` exactly once, possibly within this call. The call may write files,
    /// so make it on a worker thread. It does not wait for other servers. After `stop` was requested, the
    /// message ends early with `transient`, unless the server has the whole message and responds soon.
    virtual void deliver(Envelope envelope, std::stop_token stop, Done done) = 0;

    struct Stats {
        std::size_t queued = 0;      ///< messages without a result
        std::size_t connections = 0; ///< open connections
    };

    /// Thread-safe.
    virtual Stats stats() const noexcept { return {}; }
};

/// Composes, signs and sends messages. Thread-safe.
class Mailer {
public:
    /// `shared` is the sender of messages without a sender of their own (EMAIL_FROM).
    Mailer(Mailbox shared, std::unique_ptr<Transport> transport);

    /// Ends like a stop request for all messages.
    ~Mailer();

    /// Sends a message. Blocks for at most about two minutes, so call it on a worker thread. Returns
    /// `refused` with the reason `INVALID_HEADER` if a header value contains CR, LF or NUL, or an address is
    /// invalid. If the connection is lost after the message was sent, the outcome is `transient`, because
    /// SMTP requires that the message is sent again (RFC 5321, 4.5.3.2). The repeated message has the same
    /// Message-ID. Throws std::runtime_error if the key of the message's own sender is invalid.
    SendResult send(Message const& message, std::stop_token const& stop = {});

    /// Like `send`, but returns at once. Few threads of the mailer compose and sign the messages; no thread
    /// waits for the server. `done` is called exactly once, on a thread of the mailer or of the transport.
    /// The outcome is `transient` with the reason `BUSY` if too many messages wait for a thread, and with a
    /// reason that begins with `COMPOSE` if the message cannot be composed or signed.
    void send_async(Message message, std::stop_token stop, Done done);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace mail
