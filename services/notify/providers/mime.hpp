#pragma once

#include "domain/email.hpp"

#include <optional>
#include <string>

/// Composes messages (RFC 5322, MIME: RFC 2045 to 2049 and 2231).
namespace notify::mime {

/// Composes a message in 7-bit UTF-8 MIME with CR LF line ends. An HTML body becomes `multipart/alternative`
/// with a text part made from the HTML. Attachments wrap the body in `multipart/mixed`. Equal values give
/// equal bytes.
///
/// `message_id` has no angle brackets. Returns nullopt if the value of a header field contains CR, LF or NUL,
/// or if an address is invalid (EmailAddress). So no value can add or end a header field.
std::optional<std::string> compose(Email const& email, Mailbox const& from, std::string const& message_id);

} // namespace notify::mime
