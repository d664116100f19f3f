#include "http_client/address.hpp"

#include "core/text.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <algorithm>
#include <cstring>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>

namespace http_client {

namespace {

namespace ip = boost::asio::ip;

template <class Network> struct Block {
    Network network;
    AddressRange range;
};

template <class Network, class Address> bool contains(Network const& network, Address const& address)
{
    return Network(address, network.prefix_length()).canonical() == network;
}

AddressRange range_of(ip::address_v4 const& address)
{
    using enum AddressRange;
    constexpr auto v4 = [](char const* text) { return ip::make_network_v4(text); };
    static Block<ip::network_v4> const blocks[] = {
        {v4("0.0.0.0/8"), unspecified},
        {v4("10.0.0.0/8"), private_use},
        {v4("100.64.0.0/10"), shared},
        {v4("127.0.0.0/8"), loopback},
        {v4("169.254.0.0/16"), link_local},
        {v4("172.16.0.0/12"), private_use},
        {v4("192.0.0.0/24"), reserved},
        {v4("192.0.2.0/24"), documentation},
        {v4("192.88.99.0/24"), reserved},
        {v4("192.168.0.0/16"), private_use},
        {v4("198.18.0.0/15"), reserved},
        {v4("198.51.100.0/24"), documentation},
        {v4("203.0.113.0/24"), documentation},
        {v4("224.0.0.0/4"), multicast},
        {v4("240.0.0.0/4"), reserved},
    };
    auto const* const block =
        std::ranges::find_if(blocks, [&](auto const& b) { return contains(b.network, address); });
    return block == std::end(blocks) ? global : block->range;
}

/// The IPv4 address inside an IPv6 address. Packets to the IPv6 address may reach the IPv4 address.
std::optional<ip::address_v4> embedded_v4(ip::address_v6 const& address)
{
    struct Form {
        ip::network_v6 network;
        std::size_t offset; ///< of the IPv4 address, in bytes
    };

    static Form const forms[] = {
        {ip::make_network_v6("::ffff:0:0/96"), 12},   // mapped, RFC 4291
        {ip::make_network_v6("::ffff:0:0:0/96"), 12}, // translated, RFC 2765
        {ip::make_network_v6("64:ff9b::/96"), 12},    // NAT64, RFC 6052
        {ip::make_network_v6("2002::/16"), 2},        // 6to4, RFC 3056
        {ip::make_network_v6("::/96"), 12},           // compatible, RFC 4291
    };
    auto const* const form =
        std::ranges::find_if(forms, [&](Form const& f) { return contains(f.network, address); });
    if (form == std::end(forms)) return std::nullopt;
    auto const bytes = address.to_bytes();
    ip::address_v4::bytes_type inner{};
    std::copy_n(bytes.begin() + form->offset, inner.size(), inner.begin());
    return ip::address_v4(inner);
}

AddressRange range_of(ip::address_v6 const& address)
{
    using enum AddressRange;
    constexpr auto v6 = [](char const* text) { return ip::make_network_v6(text); };
    // The first matching block decides, so a narrow block comes before the blocks that contain it.
    static Block<ip::network_v6> const blocks[] = {
        {v6("fc00::/7"), private_use},
        {v6("fe80::/10"), link_local},
        {v6("fec0::/10"), private_use},
        {v6("ff00::/8"), multicast},
        {v6("2001:db8::/32"), documentation},
        {v6("3fff::/20"), documentation},
        {v6("2001::/23"), reserved}, // protocol assignments: Teredo, ORCHID, benchmarking
        {v6("2000::/3"), global},
    };
    if (address.is_unspecified()) return unspecified;
    if (address.is_loopback()) return loopback;
    if (auto const inner = embedded_v4(address)) return range_of(*inner);
    auto const* const block =
        std::ranges::find_if(blocks, [&](auto const& b) { return contains(b.network, address); });
    // IANA has assigned no other addresses to the public internet.
    return block == std::end(blocks) ? reserved : block->range;
}

std::string_view without_brackets(std::string_view host)
{
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') return host.substr(1, host.size() - 2);
    return host;
}

std::optional<ip::address> parse_literal(std::string_view literal)
{
    boost::system::error_code failed;
    auto const address = ip::make_address(std::string(literal.substr(0, literal.find('%'))), failed);
    return failed ? std::nullopt : std::optional(address);
}

} // namespace

AddressRange classify(sockaddr const& address) noexcept
{
    if (address.sa_family == AF_INET)
        return range_of(ip::address_v4(ntohl(reinterpret_cast<sockaddr_in const&>(address).sin_addr.s_addr)));
    if (address.sa_family == AF_INET6) {
        ip::address_v6::bytes_type bytes{};
        std::memcpy(bytes.data(), &reinterpret_cast<sockaddr_in6 const&>(address).sin6_addr, sizeof bytes);
        return range_of(ip::address_v6(bytes));
    }
    return AddressRange::reserved;
}

AddressRange classify(std::string_view literal) noexcept
{
    auto const address = parse_literal(literal);
    if (!address) return AddressRange::reserved;
    return address->is_v4() ? range_of(address->to_v4()) : range_of(address->to_v6());
}

bool is_address_literal(std::string_view host) noexcept
{
    return parse_literal(without_brackets(host)).has_value();
}

bool AddressPolicy::allows(AddressRange range) const noexcept
{
    switch (range) {
    case AddressRange::global:
        return true;
    case AddressRange::loopback:
    case AddressRange::link_local:
    case AddressRange::private_use:
    case AddressRange::shared:
        return allow_private_;
    default:
        return false;
    }
}

bool AddressPolicy::allows_host(std::string_view host) const noexcept
{
    host = without_brackets(host);
    if (host.ends_with('.')) host.remove_suffix(1);
    if (is_address_literal(host)) return allows(classify(host));
    std::string const name = core::lower(host);
    bool const local = name == "localhost" || name.ends_with(".localhost");
    return !local || allows(AddressRange::loopback);
}

} // namespace http_client
