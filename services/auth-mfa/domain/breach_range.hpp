#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace auth_mfa {

/// Looks up a SHA-1 hash in a response of the Pwned Passwords API ("Searching by range"). `suffix`: the last
/// 35 of the hash's 40 hexadecimal digits, in upper case. `body`: lines of the form SUFFIX:COUNT. Returns the
/// count, which is 0 for a hash that is not listed and for a line that only pads the response. Returns
/// nullopt if the hash is not listed and a line has another form.
std::optional<std::uint64_t> count_in_range(std::string_view body, std::string_view suffix);

} // namespace auth_mfa
