#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/secret.hpp"

#include <optional>
#include <string>
#include <vector>

namespace mail {

/// `name <address>`.
struct Mailbox {
    std::string name; ///< UTF-8; may be empty
    std::string address;
};

/// The key that signs messages of a domain (RFC 6376).
struct DkimKey {
    std::string domain;       ///< `d=`
    std::string selector;     ///< `s=`
    core::Secret private_key; ///< PEM
};

/// A sender in a domain of its own, with the key that signs its messages.
struct CustomSender {
    Mailbox from;
    DkimKey key;
};

struct Attachment {
    std::string filename;     ///< UTF-8
    std::string content_type; ///< such as `application/pdf`; if malformed, `application/octet-stream` is sent
    std::string content;      ///< the bytes
};

/// How a recipient ends emails like this one with one request (RFC 8058): the headers List-Unsubscribe and
/// List-Unsubscribe-Post.
struct Unsubscribe {
    std::string url; ///< accepts a POST without a credential; at most 900 ASCII characters without spaces
};

/// A message to one recipient. Equal values are sent as equal bytes, apart from the time in the DKIM
/// signature, so that recipients' servers can recognise a repeated delivery.
struct Message {
    core::Uuid id;       ///< unique; the Message-ID is `<id@domain of the shared sender>`
    core::Time date;     ///< header Date
    std::string to;      ///< one address
    std::string subject; ///< UTF-8
    /// The body as text, as HTML, or as both (UTF-8). If `html` is set and `text` is not, the text is made
    /// from the HTML (`plain_text`).
    std::optional<std::string> text{}, html{};
    std::vector<Attachment> attachments{};
    std::optional<CustomSender> sender{}; ///< if nullopt, the shared sender is used
    std::optional<Unsubscribe> unsubscribe{};
    /// Headers References and In-Reply-To: mail programs show messages with the same id together. The id
    /// they name is `<thread@domain of the shared sender>`. No message needs to have it.
    std::optional<core::Uuid> thread{};
    bool auto_generated = false; ///< header `Auto-Submitted: auto-generated` (RFC 3834)
    std::string traceparent{};   ///< header Traceparent; not sent if empty
    core::TenantId tenant{};     ///< whose message it is: tenants share the connections
};

} // namespace mail
