#include "paging/cursor.hpp"

#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace paging {

namespace {

constexpr char version = 1;
constexpr std::size_t binary_size = 2 + 8 + 16 + 8;
/// Longer texts are refused before they are decoded. A valid cursor has 46 characters.
constexpr std::size_t max_text_size = 256;

void put_u64(std::string& out, std::uint64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        out += static_cast<char>(value >> shift);
}

std::uint64_t get_u64(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (char const c : bytes.substr(0, 8))
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

core::Uuid get_id(std::string_view bytes)
{
    std::array<std::uint8_t, 16> id{};
    std::copy_n(bytes.begin(), id.size(), id.begin());
    return core::Uuid::from_bytes(id);
}

} // namespace

core::Uuid id_of_number(std::int64_t number)
{
    std::string bytes(8, '\0');
    put_u64(bytes, static_cast<std::uint64_t>(number));
    return get_id(bytes);
}

std::int64_t number_of(std::optional<Position> const& after)
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (!after) return most;
    std::uint64_t number = 0;
    for (std::size_t i = 8; i < after->id.bytes().size(); ++i)
        number = number << 8 | after->id.bytes()[i];
    return static_cast<std::int64_t>(
        number & static_cast<std::uint64_t>(most)); // keeps the number of a forged cursor in range
}

FilterHash& FilterHash::add(std::string_view name, std::string_view value)
{
    append(name);
    canonical_ += '=';
    append(value);
    return *this;
}

FilterHash& FilterHash::add(std::string_view name, std::optional<std::string_view> value)
{
    if (value) return add(name, *value);
    append(name);
    canonical_ += '-';
    return *this;
}

FilterHash& FilterHash::add(std::string_view name, std::optional<std::string> const& value)
{
    return value ? add(name, std::string_view(*value)) : add(name, std::optional<std::string_view>());
}

FilterHash& FilterHash::add(std::string_view name, std::optional<core::Time> const& time)
{
    return add(name, time ? std::optional(std::to_string(time->time_since_epoch().count())) : std::nullopt);
}

std::uint64_t FilterHash::value() const
{
    crypto::Digest const digest = crypto::sha256(canonical_);
    return get_u64(crypto::view(digest));
}

/// Each text is preceded by its length, so that two different lists of texts cannot have the same canonical
/// form.
void FilterHash::append(std::string_view text)
{
    put_u64(canonical_, text.size());
    canonical_ += text;
}

std::string encode(Position const& position, std::uint64_t filter_hash)
{
    std::string bytes;
    bytes.reserve(binary_size);
    bytes += version;
    bytes += position.time ? '\1' : '\0';
    put_u64(bytes, position.time ? static_cast<std::uint64_t>(position.time->time_since_epoch().count()) : 0);
    bytes.append(reinterpret_cast<char const*>(position.id.bytes().data()), position.id.bytes().size());
    put_u64(bytes, filter_hash);
    return crypto::base64url::encode(bytes);
}

std::optional<Position> decode(std::string_view cursor, std::uint64_t filter_hash)
{
    if (cursor.size() > max_text_size) return std::nullopt;
    auto const decoded = crypto::base64url::decode(cursor);
    if (!decoded || decoded->size() != binary_size) return std::nullopt;
    std::string_view const bytes = *decoded;
    if (bytes[0] != version || get_u64(bytes.substr(26)) != filter_hash) return std::nullopt;
    auto const micros = static_cast<std::int64_t>(get_u64(bytes.substr(2)));
    Position position{std::nullopt, get_id(bytes.substr(10))};
    if (bytes[1] == 0) return micros == 0 ? std::optional(position) : std::nullopt;
    // A time that PostgreSQL cannot represent would make the query fail with a server error.
    position.time = core::Time(std::chrono::microseconds(micros));
    return bytes[1] == 1 && core::is_representable(*position.time) ? std::optional(position) : std::nullopt;
}

void refuse_cursor(http::Query& query)
{
    query.fault("cursor", "invalid_cursor", "must be the cursor of the previous page, with the same filters");
}

std::optional<Position> read_cursor(http::Query& query, std::uint64_t filter_hash)
{
    auto const text = query.text("cursor", 0, max_text_size);
    if (!text) return std::nullopt;
    auto position = decode(*text, filter_hash);
    if (!position) refuse_cursor(query);
    return position;
}

PageRequest PageRequest::read(http::Query& query, std::uint64_t filter_hash)
{
    PageRequest asked;
    asked.limit = query.limit();
    asked.after = read_cursor(query, filter_hash);
    asked.filter_hash = filter_hash;
    return asked;
}

PageRequest PageRequest::read(http::Request const& request, std::uint64_t filter_hash)
{
    http::Query query(request);
    PageRequest asked = read(query, filter_hash);
    query.check();
    return asked;
}

} // namespace paging
