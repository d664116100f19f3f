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

/// What signs mail of a domain (RFC 6376).
struct DkimKey {
    std::string domain;       ///< `d=`
    std::string selector;     ///< `s=`
    core::Secret private_key; ///< PEM
};

/// Who an email of a scope with a verified domain comes from (`domains::sender`).
struct EmailSender {
    Mailbox from;
    DkimKey key;
};

struct EmailAttachment {
    std::string filename;     ///< UTF-8
    std::string content_type; ///< `application/pdf`; one that is malformed becomes `application/octet-stream`
    std::string content;      ///< the bytes
};

/// An email as it is to go out. The same values make the same bytes, but for the time in a signature, so that
/// a repetition can be recognised.
struct Email {
    core::Uuid id;   ///< of the notification: the Message-ID is `<id@domain of the shared sender>`
    core::Time date; ///< header Date: when it was due
    std::string to;  ///< one address
    Content content; ///< subject, body, html
    std::vector<EmailAttachment> attachments;
    std::optional<EmailSender> sender; ///< nullopt: the shared sender
    std::string traceparent{};         ///< field Traceparent: of the request that asked for it; may be empty
};

} // namespace notify
