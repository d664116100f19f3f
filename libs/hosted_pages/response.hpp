#pragma once

#include "http/message.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace hosted_pages {

/// Sources (Content Security Policy Level 3, 2.3.1) that a page may use in addition to its own host. Each is
/// an origin, or a scheme with a colon. An empty one adds nothing.
struct Sources {
    std::string_view connect = {}; ///< scripts of the page may send requests to it
    std::string_view form = {};    ///< responses to the page's forms may lead to it
};

/// An HTML document. It may load only files of its own host, and send forms only to it. It may have no inline
/// scripts and styles. Browsers do not show it in a frame, and send only the origin of its address to other
/// pages. (`no-referrer` would let browsers send forms with `Origin: null`.)
http::Response html_response(
    std::string html, unsigned status, std::string_view cache_control, Sources const& more = {});

/// The version of assets: 12 hexadecimal digits that change with the contents of the files.
std::string version_of(std::initializer_list<std::string_view> files);

/// Adds the header `Cache-Control` of an asset. If the address contains the version, the file at this address
/// never changes, so browsers keep it for a year. Otherwise they ask again before each use.
http::Response cached_asset(http::Response response, bool is_versioned);

} // namespace hosted_pages
