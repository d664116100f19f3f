#pragma once

#include "http/form.hpp"
#include "http/message.hpp"

namespace auth_mfa::oauth {

/// The parameters in the body of a request. Parameters without a value count as omitted (RFC 6749, 3.2).
/// Throws `invalid_request` if the body is not a form of the type `application/x-www-form-urlencoded`, if a
/// parameter occurs more than once, or if a name or value is not UTF-8 or contains a control character.
http::Form read_form(http::Request const& req);

/// As `read_form`, for text that is encoded like a form: a body or a query.
http::Form parse_parameters(std::string_view text);

} // namespace auth_mfa::oauth
