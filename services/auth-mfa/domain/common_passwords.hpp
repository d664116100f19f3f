#pragma once

#include <string_view>

namespace auth_mfa {

/// Whether `password` is on the list of common passwords (common_passwords.txt). Ignores the case of ASCII
/// letters.
bool is_common_password(std::string_view password);

} // namespace auth_mfa
