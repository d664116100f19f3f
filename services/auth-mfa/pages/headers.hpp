#pragma once

#include "http/message.hpp"

#include <string>
#include <string_view>

namespace auth_mfa::pages {

/// An HTML document. It may load only files of its own host, and send forms only to it. Browsers do not store
/// it, do not show it in a frame, and send only the origin of its address to other pages. (`no-referrer`
/// would let browsers send forms with `Origin: null`.) If `leads_to` is not empty, the responses to its forms
/// may lead to this URI: browsers apply the rule for forms to redirects, too.
http::Response html_response(std::string html, unsigned status, std::string_view leads_to = {});

/// 303 to a path of this host or to a URI. Browsers do not store it.
http::Response redirect_to(std::string_view uri);

/// The source of `form-action` (Content Security Policy Level 3, 2.3.1) that allows a registered redirect
/// URI: its origin, or its scheme if that is not http or https, or its host is an IPv6 address. Empty if the
/// URI has none that a policy can name.
std::string form_source_of(std::string_view uri);

} // namespace auth_mfa::pages
