#include "gateway/trusted_proxies.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <charconv>

namespace gateway {

namespace {

namespace ip = boost::asio::ip;

std::optional<ip::address> parse_address(std::string_view text)
{
    boost::system::error_code failed;
    auto const address = ip::make_address(std::string(text), failed);
    // A zone (fe80::1%eth0) has a meaning only on the host that wrote it, so such an address is refused.
    if (failed || (address.is_v6() && address.to_v6().scope_id() != 0)) return std::nullopt;
    return address;
}

/// Converts an IPv4 address to an IPv4-mapped IPv6 address. Removes the zone of an IPv6 address.
ip::address_v6 to_v6(ip::address const& address)
{
    if (address.is_v4()) return ip::make_address_v6(ip::v4_mapped, address.to_v4());
    return ip::address_v6(address.to_v6().to_bytes());
}

ip::address without_mapping(ip::address const& address)
{
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return ip::make_address_v4(ip::v4_mapped, address.to_v6());
    return address;
}

std::optional<unsigned> parse_length(std::string_view text, unsigned max)
{
    unsigned length = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (failed != std::errc() || end != text.data() + text.size() || length > max) return std::nullopt;
    return length;
}

/// Returns nullopt if bits are set beyond the prefix.
std::optional<ip::network_v6> parse_network(std::string_view text)
{
    auto const slash = text.find('/');
    auto const address = parse_address(text.substr(0, slash));
    if (!address) return std::nullopt;
    unsigned const max = address->is_v4() ? 32 : 128;
    auto const length =
        slash == std::string_view::npos ? std::optional(max) : parse_length(text.substr(slash + 1), max);
    if (!length) return std::nullopt;
    ip::network_v6 const network(to_v6(*address), static_cast<unsigned short>(*length + 128 - max));
    return network == network.canonical() ? std::optional(network) : std::nullopt;
}

/// An X-Forwarded-For entry: an address, an IPv4 address with a port, or an IPv6 address in brackets with or
/// without a port.
std::optional<ip::address> parse_entry(std::string_view text)
{
    if (text.starts_with('[')) {
        auto const end = text.find(']');
        return end == std::string_view::npos ? std::nullopt : parse_address(text.substr(1, end - 1));
    }
    if (std::ranges::count(text, ':') == 1) text = text.substr(0, text.find(':'));
    return parse_address(text);
}

} // namespace

std::optional<TrustedProxies> TrustedProxies::parse(std::string_view text)
{
    TrustedProxies proxies;
    while (!core::trim(text).empty()) {
        auto const comma = text.find(',');
        auto const network = parse_network(core::trim(text.substr(0, comma)));
        if (!network) return std::nullopt;
        proxies.networks_.push_back(*network);
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    return proxies;
}

bool TrustedProxies::contains(ip::address const& address) const noexcept
{
    auto const mapped = to_v6(address);
    return std::ranges::any_of(networks_, [&](ip::network_v6 const& network) {
        return ip::network_v6(mapped, network.prefix_length()).canonical() == network;
    });
}

std::string TrustedProxies::client_address(std::string_view peer, std::string_view forwarded_for) const
{
    auto const parsed = parse_address(peer);
    if (!parsed) return std::string(peer);
    auto client = without_mapping(*parsed);
    while (contains(client) && !forwarded_for.empty()) {
        auto const comma = forwarded_for.rfind(',');
        auto const last = comma == std::string_view::npos ? forwarded_for : forwarded_for.substr(comma + 1);
        auto const entry = parse_entry(core::trim(last));
        if (!entry) break;
        client = without_mapping(*entry);
        forwarded_for = comma == std::string_view::npos ? std::string_view() : forwarded_for.substr(0, comma);
    }
    return client.to_string();
}

} // namespace gateway
