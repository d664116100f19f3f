#include "http_client/address.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <span>
#include <sys/socket.h>

namespace http {

namespace {

using Octets = std::span<std::uint8_t const>;

struct Block {
    std::array<std::uint8_t, 16> prefix;
    unsigned bits;
    AddressRange range;
};

// The first matching block decides, so narrow blocks stand before the blocks that contain them.
constexpr Block ipv4_blocks[] = {
    {{0}, 8, AddressRange::unspecified},
    {{10}, 8, AddressRange::private_use},
    {{100, 64}, 10, AddressRange::shared},
    {{127}, 8, AddressRange::loopback},
    {{169, 254}, 16, AddressRange::link_local},
    {{172, 16}, 12, AddressRange::private_use},
    {{192, 0, 0}, 24, AddressRange::reserved},
    {{192, 0, 2}, 24, AddressRange::documentation},
    {{192, 88, 99}, 24, AddressRange::reserved},
    {{192, 168}, 16, AddressRange::private_use},
    {{198, 18}, 15, AddressRange::reserved},
    {{198, 51, 100}, 24, AddressRange::documentation},
    {{203, 0, 113}, 24, AddressRange::documentation},
    {{224}, 4, AddressRange::multicast},
    {{240}, 4, AddressRange::reserved},
};

constexpr Block ipv6_blocks[] = {
    {{}, 128, AddressRange::unspecified},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, AddressRange::loopback},
    {{0xfc}, 7, AddressRange::private_use}, {{0xfe, 0x80}, 10, AddressRange::link_local},
    {{0xfe, 0xc0}, 10, AddressRange::private_use}, {{0xff}, 8, AddressRange::multicast},
    {{0x20, 0x01, 0x0d, 0xb8}, 32, AddressRange::documentation},
    {{0x3f, 0xff}, 20, AddressRange::documentation},
    {{0x20, 0x01}, 23, AddressRange::reserved}, // protocol assignments: Teredo, ORCHID, benchmarking
    {{0x20}, 3, AddressRange::global},
    {{}, 0, AddressRange::reserved}, // IANA has assigned no other addresses to the public internet
};

// IPv6 forms that contain an IPv4 address. Packets to such an address may reach the IPv4 address.
struct Embedding {
    std::array<std::uint8_t, 16> prefix;
    unsigned bits;
    std::size_t offset;
};

constexpr Embedding embeddings[] = {
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, 12}, // mapped, RFC 4291
    {{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0}, 96, 12}, // translated, RFC 2765
    {{0, 0x64, 0xff, 0x9b}, 96, 12},                      // NAT64, RFC 6052
    {{0x20, 0x02}, 16, 2},                                // 6to4, RFC 3056
    {{}, 96, 12},                                         // compatible, RFC 4291
};

bool within(Octets address, std::array<std::uint8_t, 16> const& prefix, unsigned bits)
{
    std::size_t const whole = bits / 8;
    if (!std::equal(prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(whole), address.begin()))
        return false;
    unsigned const rest = bits % 8;
    if (rest == 0) return true;
    unsigned const mask = (0xff00U >> rest) & 0xffU;
    return ((address[whole] ^ prefix[whole]) & mask) == 0;
}

AddressRange classify_v4(Octets address)
{
    auto const* const block =
        std::ranges::find_if(ipv4_blocks, [&](Block const& b) { return within(address, b.prefix, b.bits); });
    return block == std::end(ipv4_blocks) ? AddressRange::global : block->range;
}

AddressRange classify_v6(Octets address)
{
    auto const* block =
        std::ranges::find_if(ipv6_blocks, [&](Block const& b) { return within(address, b.prefix, b.bits); });
    if (block->bits == 128) return block->range;
    for (auto const& form : embeddings) {
        if (within(address, form.prefix, form.bits)) return classify_v4(address.subspan(form.offset, 4));
    }
    return block->range;
}

std::string_view without_brackets(std::string_view host)
{
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') return host.substr(1, host.size() - 2);
    return host;
}

/// Writes the bytes of a literal to `out` and returns their number, 4 or 16. Returns 0 for other text.
std::size_t parse_literal(std::string_view literal, std::array<std::uint8_t, 16>& out)
{
    std::string const text(literal.substr(0, literal.find('%')));
    if (inet_pton(AF_INET, text.c_str(), out.data()) == 1) return 4;
    if (inet_pton(AF_INET6, text.c_str(), out.data()) == 1) return 16;
    return 0;
}

} // namespace

AddressRange classify(sockaddr const& address) noexcept
{
    std::array<std::uint8_t, 16> bytes{};
    if (address.sa_family == AF_INET) {
        auto const& v4 = reinterpret_cast<sockaddr_in const&>(address);
        std::memcpy(bytes.data(), &v4.sin_addr, 4);
        return classify_v4(Octets(bytes).first(4));
    }
    if (address.sa_family == AF_INET6) {
        auto const& v6 = reinterpret_cast<sockaddr_in6 const&>(address);
        std::memcpy(bytes.data(), &v6.sin6_addr, 16);
        return classify_v6(bytes);
    }
    return AddressRange::reserved;
}

AddressRange classify(std::string_view literal) noexcept
{
    std::array<std::uint8_t, 16> bytes{};
    switch (parse_literal(literal, bytes)) {
    case 4:
        return classify_v4(Octets(bytes).first(4));
    case 16:
        return classify_v6(bytes);
    default:
        return AddressRange::reserved;
    }
}

bool is_address_literal(std::string_view host) noexcept
{
    std::array<std::uint8_t, 16> bytes{};
    return parse_literal(without_brackets(host), bytes) != 0;
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

} // namespace http
