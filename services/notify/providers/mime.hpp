#pragma once

#include "domain/email.hpp"

#include <optional>
#include <string>

/// Composes messages (RFC 5322, MIME: RFC 2045 to 2049 and 2231).
namespace notify::mime {

/// Composes a MIME message of ASCII lines that end in CR LF; texts are UTF-8 and are encoded where necessary.
/// An HTML body becomes `multipart/alternative` with a text part made from the HTML. If there are
/// attachments, the body and the attachments become the parts of a `multipart/mixed`. Equal values give equal
/// bytes.
///
/// `message_id` has no angle brackets. Returns nullopt if the value of a header field contains CR, LF or NUL,
/// or if an address is invalid (EmailAddress). So no value can add or end a header field.
std::optional<std::string> compose(Email const& email, Mailbox const& from, std::string const& message_id);

} // namespace notify::mime
