#pragma once

#include "pages/page.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa::pages {

/// The page with new recovery codes, which are shown only once. Its link leads to `next`, a page of this
/// host. `notice` is shown above the codes.
http::Response show_codes(Page& page, std::vector<std::string> const& codes, std::string_view account,
    std::string_view next, std::string notice);

} // namespace auth_mfa::pages
