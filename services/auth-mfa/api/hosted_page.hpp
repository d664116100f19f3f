#pragma once

#include "domain/text_template.hpp"
#include "http/message.hpp"

#include <string_view>

namespace auth_mfa {

/// A page for people, with `values` escaped for HTML. The page may load only files and call only routes of
/// its own host. Browsers do not store it, and do not send its URL to other hosts.
http::Response hosted_page(TextTemplate const& page, TemplateValues const& values);

/// A style sheet or script of the hosted pages. `text` and `type` are in static storage.
http::Response hosted_file(std::string_view text, std::string_view type);

} // namespace auth_mfa
