#pragma once

#include "mail/message.hpp"

#include <optional>
#include <string>

namespace mail {

/// Composes a message (RFC 5322, MIME: RFC 2045 to 2049 and 2231) of ASCII lines that end in CR LF. Texts are
/// UTF-8 and are encoded where necessary. A message with HTML becomes `multipart/alternative`, with the text
/// as the first part. If there are attachments, the body and the attachments become the parts of a
/// `multipart/mixed`. Equal values give equal bytes.
///
/// `message_id` has no angle brackets. Returns nullopt if the value of a header field contains CR, LF or NUL,
/// if an address is invalid (`Address`), or if the URL of `unsubscribe` is. So no value can add or end a
/// header field.
std::optional<std::string> compose(
    Message const& message, Mailbox const& from, std::string const& message_id);

} // namespace mail
