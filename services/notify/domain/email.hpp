#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/secret.hpp"
#include "domain/notification.hpp"

#include <optional>
#include <string>
#include <vector>

namespace notify {

/// `name <address>`.
struct Mailbox {
    std::string name; ///< UTF-8; may be empty
    std::string address;
};

/// The key that signs mail of a domain (RFC 6376).
struct DkimKey {
    std::string domain;       ///< `d=`
    std::string selector;     ///< `s=`
    core::Secret private_key; ///< PEM
};

/// The sender of a scope with a verified domain (`email_domains::sender`).
struct EmailSender {
    Mailbox from;
    DkimKey key;
};

struct EmailAttachment {
    std::string filename;     ///< UTF-8
    std::string content_type; ///< such as `application/pdf`; if malformed, `application/octet-stream` is sent
    std::string content;      ///< the bytes
};

/// An email to send. Equal values are sent as equal bytes, apart from the time in the DKIM signature, so that
/// recipients' servers can recognise a repeated delivery.
struct Email {
    core::Uuid id;   ///< the notification's id; the Message-ID is `<id@domain of the shared sender>`
    core::Time date; ///< header Date: when the notification was due
    std::string to;  ///< one address
    Content content; ///< subject, body, html
    std::vector<EmailAttachment> attachments;
    std::optional<EmailSender> sender; ///< if nullopt, the shared sender is used
    std::string traceparent{};         ///< header Traceparent, from the send request; may be empty
};

} // namespace notify
