#pragma once

#include <string_view>

namespace auth_mfa {

/// Whether this is one of the passwords that are tried first by everybody who guesses, whatever the case of
/// its letters.
bool is_common_password(std::string_view password);

} // namespace auth_mfa
