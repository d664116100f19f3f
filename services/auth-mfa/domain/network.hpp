#pragma once

#include <string>
#include <string_view>

namespace auth_mfa {

/// What a limit by client address counts: an IPv4 address, or the /64 of an IPv6 one, which is what one
/// customer gets.
std::string network_of(std::string_view address);

} // namespace auth_mfa
