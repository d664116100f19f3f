#pragma once

#include "core/enum_names.hpp"

#include <string>
#include <string_view>

struct sockaddr;

namespace http_client {

using core::to_string;

/// Ranges of IP addresses, from the IANA special-purpose registries (RFC 6890 and its updates).
enum class AddressRange {
    global,        ///< reachable on the public internet
    loopback,      ///< 127/8, ::1
    link_local,    ///< 169.254/16 (includes the metadata services of clouds), fe80::/10
    private_use,   ///< RFC 1918, fc00::/7, fec0::/10
    shared,        ///< carrier-grade NAT, 100.64/10
    unspecified,   ///< 0/8, ::
    multicast,     ///< 224/4, ff00::/8
    documentation, ///< TEST-NET-1..3, 2001:db8::/32, 3fff::/20
    reserved,      ///< all other addresses outside the public internet: 240/4, benchmarking, Teredo, ...
};

constexpr auto enum_names(AddressRange)
{
    return std::to_array<std::string_view>({"global", "loopback", "link-local", "private", "shared",
        "unspecified", "multicast", "documentation", "reserved"});
}

/// The range of a socket address. An IPv4 address inside an IPv6 address (mapped, compatible, translated by
/// NAT64, 6to4) has the range of the IPv4 address. A family other than IP is `reserved`.
AddressRange classify(sockaddr const& address) noexcept;

/// The range of an address literal (`127.0.0.1`, `::1`, `fe80::1%eth0`, without brackets). Other text is
/// `reserved`.
AddressRange classify(std::string_view literal) noexcept;

/// Whether `host` is an IP address literal, with or without a URL's brackets.
bool is_address_literal(std::string_view host) noexcept;

/// The addresses that outbound requests may reach. A value type. Thread-safe.
class AddressPolicy {
public:
    /// `allow_private` (OUTBOUND_ALLOW_PRIVATE) also allows loopback, link-local, private-use and shared
    /// addresses. The other special ranges are always refused.
    explicit AddressPolicy(bool allow_private) noexcept : allow_private_(allow_private) {}

    bool allow_private() const noexcept { return allow_private_; }

    bool allows(AddressRange range) const noexcept;

    /// Whether the host of a URL may be used. False for an address literal that the policy refuses. False for
    /// `localhost` and its subdomains (RFC 6761) if the policy refuses loopback. The addresses of other names
    /// are checked after their resolution.
    bool allows_host(std::string_view host) const noexcept;

private:
    bool allow_private_;
};

} // namespace http_client
