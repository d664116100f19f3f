#pragma once

#include <string>
#include <string_view>

namespace auth_mfa {

// The network of a client's IP address, under which limits are counted. All functions return `address`
// unchanged if it is not an IP address. A provider may assign a whole IPv6 /48 to one customer.

/// The IPv4 address itself, or the IPv6 /64: what a provider assigns to one subscriber at least.
std::string subscriber_network_of(std::string_view address);

/// The IPv4 address itself, or the IPv6 /48: for limits of all requests from one network.
std::string network_of(std::string_view address);

/// The IPv4 /24, or the IPv6 /48: for limits of an account's guesses from one network. Other users of the
/// network have limits of their own, so it can be wider.
std::string wide_network_of(std::string_view address);

} // namespace auth_mfa
