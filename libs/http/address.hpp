#pragma once

#include <string>
#include <string_view>

struct sockaddr;

namespace http {

/// What an IP address is for, by the IANA special-purpose registries (RFC 6890 and its updates).
enum class AddressRange {
    global,        ///< reachable on the public internet
    loopback,      ///< 127/8, ::1
    link_local,    ///< 169.254/16 (with the clouds' metadata services), fe80::/10
    private_use,   ///< RFC 1918, fc00::/7, fec0::/10
    shared,        ///< carrier-grade NAT, 100.64/10
    unspecified,   ///< 0/8, ::
    multicast,     ///< 224/4, ff00::/8
    documentation, ///< TEST-NET-1..3, 2001:db8::/32, 3fff::/20
    reserved,      ///< everything else that is not for the public internet: 240/4, benchmarking, Teredo, ...
};

/// `link-local`, `private`, ...: for messages.
std::string_view to_string(AddressRange range) noexcept;

/// The range of a socket address. An IPv4 address inside an IPv6 one (mapped, compatible, translated by
/// NAT64, 6to4) counts as that IPv4 address; a family that is not IP is `reserved`.
AddressRange classify(sockaddr const& address) noexcept;

/// The range of an address literal (`127.0.0.1`, `::1`, `fe80::1%eth0`, without brackets); `reserved` when it
/// is not one.
AddressRange classify(std::string_view literal) noexcept;

/// Whether `host` is an IP address literal, with or without the brackets of a URL.
bool is_address_literal(std::string_view host) noexcept;

/// Which addresses outbound requests may reach. A value; safe from any thread.
class AddressPolicy {
public:
    /// `allow_private` (OUTBOUND_ALLOW_PRIVATE) also admits loopback, link-local, private-use and shared
    /// addresses. The other special ranges are refused always.
    explicit AddressPolicy(bool allow_private) noexcept : allow_private_(allow_private) {}

    bool allow_private() const noexcept { return allow_private_; }

    bool allows(AddressRange range) const noexcept;

    /// False for what a URL's host already gives away: a refused address literal, or `localhost` and names
    /// below it (RFC 6761). Other names are judged when they have been resolved.
    bool allows_host(std::string_view host) const noexcept;

private:
    bool allow_private_;
};

} // namespace http
