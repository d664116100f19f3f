#include "pg/row.hpp"

#include "core/id.hpp"

#include <boost/endian/conversion.hpp>
#include <pqxx/except>

#include <algorithm>
#include <array>
#include <charconv>
#include <libpq-fe.h>
#include <limits>
#include <memory>
#include <new>

namespace pg {

/// Removes a number of at least `digits` digits from the front of `text` and returns it. Returns -1 if there
/// is no such number.
static int take_number(std::string_view& text, std::size_t digits)
{
    int value = -1;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    auto const length = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || length < digits) return -1;
    text.remove_prefix(length);
    return value;
}

static bool take(std::string_view& text, std::string_view prefix)
{
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// Removes the fraction of a second (a point and 1 to 6 digits) and returns it in microseconds. Returns 0 if
/// there is no fraction, and -1 if it is malformed.
static int take_fraction(std::string_view& text)
{
    if (!take(text, ".")) return 0;
    auto const digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > 6) return -1;
    int value = take_number(text, 1);
    for (auto i = digits; i < 6; ++i)
        value *= 10;
    return value;
}

/// Parses PostgreSQL's text of a timestamptz in DateStyle ISO and UTC.
static std::optional<core::Time> parse_timestamptz(std::string_view text)
{
    if (text == "infinity") return core::Time::max();
    if (text == "-infinity") return core::Time::min();
    int const year = take_number(text, 4);
    int const month = take(text, "-") ? take_number(text, 2) : -1;
    int const day = take(text, "-") ? take_number(text, 2) : -1;
    int const hour = take(text, " ") ? take_number(text, 2) : -1;
    int const minute = take(text, ":") ? take_number(text, 2) : -1;
    int const second = take(text, ":") ? take_number(text, 2) : -1;
    int const micro = take_fraction(text);
    if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0 || micro < 0)
        return std::nullopt;
    if (!take(text, "+00")) return std::nullopt;
    bool const before_christ = take(text, " BC");
    if (!text.empty()) return std::nullopt;
    std::chrono::year_month_day const date(std::chrono::year(before_christ ? 1 - year : year),
        std::chrono::month(static_cast<unsigned>(month)), std::chrono::day(static_cast<unsigned>(day)));
    return core::Time(std::chrono::sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
           std::chrono::seconds(second) + std::chrono::microseconds(micro);
}

/// Removes an element, and the comma or brace after it, from the front of `text`. `text` is the rest of a
/// one-dimensional array such as `{a,"b, \"c\"",NULL}`, after its first brace. Returns nullopt if the element
/// is NULL or malformed. pqxx::array_parser is not used, because it treats `'` as a quote.
static std::optional<std::string> take_element(std::string_view& text)
{
    std::string element;
    bool const quoted = take(text, "\"");
    while (!text.empty()) {
        char const c = text.front();
        if (quoted ? c == '"' : c == ',' || c == '}') break;
        if (c == '{' && !quoted) return std::nullopt; // an array of arrays
        if (c == '\\') text.remove_prefix(1);
        if (text.empty()) return std::nullopt;
        element += text.front();
        text.remove_prefix(1);
    }
    if (quoted && !take(text, "\"")) return std::nullopt;
    if (!quoted && (element.empty() || element == "NULL")) return std::nullopt;
    return take(text, text.size() > 1 ? "," : "}") ? std::optional(std::move(element)) : std::nullopt;
}

/// Parses PostgreSQL's binary integer: big-endian, two, four or eight bytes.
static std::optional<std::int64_t> parse_binary_integer(std::string_view bytes)
{
    using namespace boost::endian;
    auto const* data = reinterpret_cast<unsigned char const*>(bytes.data());
    switch (bytes.size()) {
    case 2:
        return load_big_s16(data);
    case 4:
        return load_big_s32(data);
    case 8:
        return load_big_s64(data);
    default:
        return std::nullopt;
    }
}

/// Parses a binary timestamptz: microseconds since 2000-01-01 00:00 UTC.
static std::optional<core::Time> parse_binary_time(std::string_view bytes)
{
    using Limits = std::numeric_limits<std::int64_t>;
    auto const micros = bytes.size() == 8 ? parse_binary_integer(bytes) : std::nullopt;
    if (!micros) return std::nullopt;
    if (*micros == Limits::max()) return core::Time::max();
    if (*micros == Limits::min()) return core::Time::min();
    using namespace std::chrono;
    return core::Time(sys_days(year(2000) / January / 1)) + microseconds(*micros);
}

static std::optional<core::Uuid> parse_binary_uuid(std::string_view bytes)
{
    std::array<std::uint8_t, 16> id;
    if (bytes.size() != id.size()) return std::nullopt;
    std::ranges::copy(bytes, id.begin());
    return core::Uuid::from_bytes(id);
}

/// Removes a big-endian 32-bit number from the front.
static std::optional<std::int64_t> take_int32(std::string_view& bytes)
{
    if (bytes.size() < 4) return std::nullopt;
    auto const number = parse_binary_integer(bytes.substr(0, 4));
    bytes.remove_prefix(4);
    return number;
}

/// Parses PostgreSQL's binary array. It consists of the number of dimensions, a flag (whether it contains
/// NULLs), the type of the elements, the length and lower bound of each dimension, and the length and bytes
/// of each element.
static std::optional<std::vector<std::string>> parse_binary_array(std::string_view bytes)
{
    constexpr std::int64_t uuid_type = 2950;
    auto const dimensions = take_int32(bytes);
    auto const has_nulls = take_int32(bytes);
    auto const type = take_int32(bytes);
    if (!type || *has_nulls != 0 || *dimensions > 1) return std::nullopt;
    std::vector<std::string> texts;
    if (*dimensions == 0) return texts;
    auto const count = take_int32(bytes);
    if (!take_int32(bytes)) return std::nullopt;
    for (std::int64_t i = 0; i < *count; ++i) {
        auto const size = take_int32(bytes);
        if (!size || *size < 0 || static_cast<std::size_t>(*size) > bytes.size()) return std::nullopt;
        std::string_view const element = bytes.substr(0, static_cast<std::size_t>(*size));
        bytes.remove_prefix(element.size());
        if (type != uuid_type) {
            texts.emplace_back(element);
            continue;
        }
        auto const id = parse_binary_uuid(element);
        if (!id) return std::nullopt;
        texts.push_back(id->to_string());
    }
    return texts;
}

int RowReader::column() const
{
    if (next_ >= PQnfields(row_.result.get()))
        throw pqxx::conversion_error("a column beyond the last column of the row was read");
    return next_;
}

/// Batches get their rows in binary form, transactions in text form.
bool RowReader::is_binary() const
{
    return PQfformat(row_.result.get(), column()) != 0;
}

void RowReader::mismatch(char const* expected) const
{
    throw pqxx::conversion_error("column " + std::to_string(column()) + " is not " + expected);
}

bool RowReader::is_null() const
{
    return PQgetisnull(row_.result.get(), row_.number, column()) != 0;
}

std::string_view RowReader::current() const
{
    if (is_null()) mismatch("expected to be NULL");
    auto const* const result = row_.result.get();
    return {PQgetvalue(result, row_.number, next_),
        static_cast<std::size_t>(PQgetlength(result, row_.number, next_))};
}

void RowReader::next()
{
    next_ = column() + 1;
}

template <class T> std::optional<T> RowReader::optional(T (RowReader::*read)())
{
    if (is_null()) {
        next();
        return std::nullopt;
    }
    return (this->*read)();
}

std::string_view RowReader::view()
{
    std::string_view value = current();
    // The binary form of a jsonb value is a version byte, followed by the JSON text.
    constexpr Oid jsonb_type = 3802;
    if (is_binary() && PQftype(row_.result.get(), next_) == jsonb_type) value.remove_prefix(1);
    next();
    return value;
}

std::optional<std::string> RowReader::optional_text()
{
    return optional(&RowReader::text);
}

static std::optional<std::int64_t> parse_integer(std::string_view text)
{
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::int64_t RowReader::integer()
{
    auto const value = is_binary() ? parse_binary_integer(current()) : parse_integer(current());
    if (!value) mismatch("an integer");
    next();
    return *value;
}

std::optional<bool> RowReader::optional_boolean()
{
    return optional(&RowReader::boolean);
}

std::optional<std::int64_t> RowReader::optional_integer()
{
    return optional(&RowReader::integer);
}

bool RowReader::boolean()
{
    constexpr std::string_view one("\1", 1), zero("\0", 1);
    std::string_view const value = current();
    bool const is_true = value == (is_binary() ? one : "t");
    if (!is_true && value != (is_binary() ? zero : "f")) mismatch("a boolean");
    next();
    return is_true;
}

core::Uuid RowReader::uuid()
{
    auto const id = is_binary() ? parse_binary_uuid(current()) : core::Uuid::parse(current());
    if (!id) mismatch("a UUID");
    next();
    return *id;
}

std::optional<core::Uuid> RowReader::optional_uuid()
{
    return optional(&RowReader::uuid);
}

core::Time RowReader::time()
{
    auto const time = is_binary() ? parse_binary_time(current()) : parse_timestamptz(current());
    if (!time) mismatch("a timestamptz in UTC");
    next();
    return *time;
}

std::optional<core::Time> RowReader::optional_time()
{
    return optional(&RowReader::time);
}

/// Parses PostgreSQL's text of a one-dimensional array.
static std::optional<std::vector<std::string>> parse_array(std::string_view text)
{
    if (!take(text, "{")) return std::nullopt;
    std::vector<std::string> texts;
    if (text == "}") return texts;
    while (!text.empty()) {
        auto element = take_element(text);
        if (!element) return std::nullopt;
        texts.push_back(std::move(*element));
    }
    return texts;
}

std::vector<std::string> RowReader::texts()
{
    auto texts = is_binary() ? parse_binary_array(current()) : parse_array(current());
    if (!texts) mismatch("a one-dimensional array without NULLs");
    next();
    return *std::move(texts);
}

/// Parses PostgreSQL's text of a bytea.
static std::string unescaped(std::string_view text)
{
    std::size_t size = 0;
    std::unique_ptr<unsigned char, decltype(&PQfreemem)> const raw(
        PQunescapeBytea(reinterpret_cast<unsigned char const*>(text.data()), &size), &PQfreemem);
    if (!raw) throw std::bad_alloc();
    return {reinterpret_cast<char const*>(raw.get()), size};
}

std::string RowReader::bytes()
{
    std::string_view const value = current();
    std::string raw = is_binary() ? std::string(value) : unescaped(value);
    next();
    return raw;
}

} // namespace pg
