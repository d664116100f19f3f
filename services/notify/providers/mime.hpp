#pragma once

#include "domain/email.hpp"

#include <optional>
#include <string>

/// Messages as RFC 5322 and MIME (RFC 2045 to 2049, 2231) have them.
namespace notify::mime {

/// The message: `multipart/alternative` of a text made from the HTML and the HTML itself where the body is
/// HTML, in `multipart/mixed` with the attachments where there are any; UTF-8, seven bits a byte on the wire,
/// lines end in CR LF. The same values make the same bytes.
///
/// `message_id` is without its angle brackets. nullopt when a value that becomes part of a header field holds
/// CR, LF or NUL, or an address is none (EmailAddress): no field can be made that way, and none ended.
std::optional<std::string> compose(Email const& email, Mailbox const& from, std::string const& message_id);

} // namespace notify::mime
