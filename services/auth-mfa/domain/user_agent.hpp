#pragma once

#include <string>
#include <string_view>

namespace auth_mfa {

/// A short name for the browser of a `User-Agent` header: `Firefox (Windows)`. Returns the first 100
/// characters of other headers, and an empty text for an empty header.
std::string browser_name(std::string_view user_agent);

} // namespace auth_mfa
