#pragma once

#include "domain/template.hpp"
#include "domain/template_html.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace notify {

/// The names of the variables whose values give a URL that is not permitted. If a URL has several
/// placeholders, the name of the first. A missing value counts as empty. `slots` are the positions of the
/// placeholders in `html`.
std::set<std::string_view> refused_urls(
    std::string_view html, std::span<HtmlSlot const> slots, Variables const& variables);

} // namespace notify
