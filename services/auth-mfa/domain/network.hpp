#pragma once

#include <string>
#include <string_view>

namespace auth_mfa {

/// The network under which limits per client IP address are counted: the IPv4 address itself, or the /64 of
/// an IPv6 address, because providers assign at least a /64 to each customer. Returns `address` unchanged
/// if it is not an IP address.
std::string network_of(std::string_view address);

} // namespace auth_mfa
