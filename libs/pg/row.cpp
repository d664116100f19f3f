#include "pg/row.hpp"

#include <pqxx/binarystring>
#include <pqxx/except>

#include <algorithm>
#include <charconv>

namespace pg {

[[noreturn]] static void mismatch(pqxx::field const& field, char const* expected)
{
    throw pqxx::conversion_error("column " + std::to_string(field.num()) + " is not " + expected);
}

/// Takes a number of at least `digits` digits off the front of `text`; -1 when there is none.
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

/// The fraction of a second, 0..6 digits after a point, in microseconds; -1 when malformed.
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

/// The inverse of what PostgreSQL prints for timestamptz in DateStyle ISO and UTC.
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

/// Takes an element off the front of a one-dimensional array's text, `{a,"b, \"c\"",NULL}` behind the brace,
/// with the comma or brace that ends it. nullopt when it is NULL or malformed. (pqxx::array_parser takes `'`
/// for a quote.)
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

void RowReader::next()
{
    if (cell_.num() >= columns_) throw pqxx::conversion_error("a column is read that the row does not have");
    cell_.advance();
}

void RowReader::require_value() const
{
    if (cell_.num() >= columns_) throw pqxx::conversion_error("a column is read that the row does not have");
    if (cell_.is_null()) mismatch(cell_, "expected to be NULL");
}

template <class T> std::optional<T> RowReader::optional(T (RowReader::*read)())
{
    if (cell_.num() < columns_ && cell_.is_null()) {
        next();
        return std::nullopt;
    }
    return (this->*read)();
}

std::string_view RowReader::view()
{
    require_value();
    std::string_view const value(cell_.c_str(), cell_.size());
    next();
    return value;
}

std::optional<std::string> RowReader::optional_text()
{
    return optional(&RowReader::text);
}

std::int64_t RowReader::integer()
{
    require_value();
    std::int64_t value = 0;
    std::string_view const text(cell_.c_str(), cell_.size());
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) mismatch(cell_, "an integer");
    next();
    return value;
}

std::optional<std::int64_t> RowReader::optional_integer()
{
    return optional(&RowReader::integer);
}

bool RowReader::boolean()
{
    require_value();
    std::string_view const text(cell_.c_str(), cell_.size());
    if (text != "t" && text != "f") mismatch(cell_, "a boolean");
    next();
    return text == "t";
}

core::Uuid RowReader::uuid()
{
    require_value();
    auto const id = core::Uuid::parse(std::string_view(cell_.c_str(), cell_.size()));
    if (!id) mismatch(cell_, "a UUID");
    next();
    return *id;
}

std::optional<core::Uuid> RowReader::optional_uuid()
{
    return optional(&RowReader::uuid);
}

core::Time RowReader::time()
{
    require_value();
    auto const time = parse_timestamptz(std::string_view(cell_.c_str(), cell_.size()));
    if (!time) mismatch(cell_, "a timestamptz in UTC");
    next();
    return *time;
}

std::optional<core::Time> RowReader::optional_time()
{
    return optional(&RowReader::time);
}

std::vector<std::string> RowReader::texts()
{
    require_value();
    std::string_view text(cell_.c_str(), cell_.size());
    std::vector<std::string> texts;
    if (!take(text, "{")) mismatch(cell_, "an array");
    if (text != "}") {
        while (!text.empty()) {
            auto element = take_element(text);
            if (!element) mismatch(cell_, "a one-dimensional array without NULLs");
            texts.push_back(std::move(*element));
        }
    }
    next();
    return texts;
}

std::string RowReader::bytes()
{
    require_value();
    std::string raw = pqxx::binarystring(cell_).str();
    next();
    return raw;
}

} // namespace pg
