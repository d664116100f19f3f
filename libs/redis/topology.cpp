#include "redis/topology.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace redis {

namespace {

constexpr std::uint16_t slot_count = 16'384;

/// The table for CRC-16/XMODEM: polynomial 0x1021, initial value 0.
constexpr std::array<std::uint16_t, 256> crc_table = [] {
    std::array<std::uint16_t, 256> table{};
    for (unsigned byte = 0; byte < table.size(); ++byte) {
        unsigned crc = byte << 8;
        for (int bit = 0; bit < 8; ++bit)
            crc = crc << 1 ^ ((crc & 0x8000) != 0 ? 0x1021U : 0U);
        table[byte] = static_cast<std::uint16_t>(crc);
    }
    return table;
}();

std::string_view hashed_part(std::string_view key) noexcept
{
    auto const open = key.find('{');
    if (open == std::string_view::npos) return key;
    auto const close = key.find('}', open + 1);
    if (close == std::string_view::npos || close == open + 1) return key;
    return key.substr(open + 1, close - open - 1);
}

/// Parses `host, port, id, …`.
Endpoint read_node(Reply const& node, Endpoint const& asked)
{
    auto const& fields = node.array();
    auto const& host = fields.at(0);
    bool const named = !host.is_nil() && !host.text().empty();
    return {named ? host.text() : asked.host, static_cast<std::uint16_t>(fields.at(1).integer())};
}

/// Parses `host:port`. Redis sends an IPv6 address without brackets.
std::optional<Endpoint> read_endpoint(std::string_view text, Endpoint const& asked)
{
    auto const colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    Endpoint endpoint{std::string(text.substr(0, colon))};
    if (endpoint.host.empty()) endpoint.host = asked.host;
    auto const* const end = text.data() + text.size();
    auto const [stop, failed] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
    if (failed != std::errc() || stop != end) return std::nullopt;
    return endpoint;
}

} // namespace

std::uint16_t slot_of(std::string_view key) noexcept
{
    unsigned crc = 0;
    for (char const c : hashed_part(key))
        crc = (crc << 8 ^ crc_table[(crc >> 8 ^ static_cast<unsigned char>(c)) & 0xff]) & 0xffff;
    return static_cast<std::uint16_t>(crc % slot_count);
}

std::vector<SlotRange> read_slots(Reply const& answer, Endpoint const& asked)
{
    std::vector<SlotRange> ranges;
    for (auto const& entry : answer.array()) {
        auto const& fields = entry.array();
        SlotRange range{.first = static_cast<std::uint16_t>(fields.at(0).integer()),
            .last = static_cast<std::uint16_t>(fields.at(1).integer()),
            .master = read_node(fields.at(2), asked)};
        for (std::size_t i = 3; i < fields.size(); ++i)
            range.replicas.push_back(read_node(fields[i], asked));
        ranges.push_back(std::move(range));
    }
    std::ranges::sort(ranges, {}, &SlotRange::first);
    return ranges;
}

std::optional<Redirection> Redirection::read(std::string_view error, Endpoint const& asked)
{
    auto const code = error.substr(0, error.find(' '));
    if (code == "TRYAGAIN") return Redirection{.kind = Kind::again};
    if (code != "MOVED" && code != "ASK") return std::nullopt;
    // `MOVED 3999 127.0.0.1:6381`
    auto const to = read_endpoint(error.substr(error.rfind(' ') + 1), asked);
    if (!to) return std::nullopt;
    return Redirection{code == "MOVED" ? Kind::moved : Kind::ask, *to};
}

} // namespace redis
