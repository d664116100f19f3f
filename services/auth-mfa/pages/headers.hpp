#pragma once

#include "http/message.hpp"

#include <string>

namespace auth_mfa::pages {

/// An HTML document. It may load only files of its own host, and send forms only to it. Browsers do not store
/// it, do not show it in a frame, and send only the origin of its address to other pages. (`no-referrer`
/// would let browsers send forms with `Origin: null`.)
http::Response html_response(std::string html, unsigned status);

} // namespace auth_mfa::pages
