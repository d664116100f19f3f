#include "http/query.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <set>

namespace http {

namespace {

std::string join(std::span<std::string_view const> names)
{
    std::string list;
    for (auto const& name : names) {
        if (!list.empty()) list += ", ";
        list += name;
    }
    return list;
}

} // namespace

Query::Query(Request const& request)
{
    std::string_view rest = request.query;
    while (!rest.empty()) {
        std::string_view const pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        if (pair.empty()) continue;
        auto const equals = std::min(pair.find('='), pair.size());
        // A parameter whose name cannot be decoded is ignored, like an unknown parameter.
        if (auto name = core::percent_decode(pair.substr(0, equals), true))
            parameters_.push_back({std::move(*name), pair.substr(std::min(equals + 1, pair.size()))});
    }
}

std::optional<std::string> Query::find(std::string_view name)
{
    auto const found = std::ranges::find(parameters_, name, &Parameter::name);
    if (found == parameters_.end()) return std::nullopt;
    if (std::any_of(found + 1, parameters_.end(), [name](Parameter const& p) { return p.name == name; })) {
        fault(name, "repeated", "must be given at most once");
        return std::nullopt;
    }
    auto value = core::percent_decode(found->raw, true);
    if (!value || !core::is_utf8(*value) || value->find('\0') != std::string::npos) {
        fault(name, "format", "must be percent-encoded UTF-8 without U+0000");
        return std::nullopt;
    }
    return value;
}

std::optional<std::string> Query::text(std::string_view name, std::size_t min, std::size_t max)
{
    auto value = find(name);
    if (!value) return std::nullopt;
    auto const length = core::count_code_points(*value);
    if (length < min) {
        fault(name, "too_short", "must have at least " + std::to_string(min) + " characters");
        return std::nullopt;
    }
    if (length > max) {
        fault(name, "too_long", "must have at most " + std::to_string(max) + " characters");
        return std::nullopt;
    }
    return value;
}

std::string Query::required_text(std::string_view name, std::size_t min, std::size_t max)
{
    if (std::ranges::find(parameters_, name, &Parameter::name) == parameters_.end())
        fault(name, "required", "is required");
    return text(name, min, max).value_or(std::string());
}

std::optional<std::size_t> Query::one_of(std::string_view name, std::span<std::string_view const> allowed)
{
    auto const value = find(name);
    if (!value) return std::nullopt;
    auto const found = std::ranges::find(allowed, *value);
    if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
    fault(name, "not_allowed", "must be one of " + join(allowed));
    return std::nullopt;
}

std::vector<std::size_t> Query::some_of(std::string_view name, std::span<std::string_view const> allowed)
{
    auto const value = find(name);
    if (!value) return {};
    std::set<std::size_t> indexes;
    bool is_valid = !value->empty(); // an empty text has no parts
    for (auto const part : std::views::split(std::string_view(*value), ',')) {
        auto const found = std::ranges::find(allowed, std::string_view(part.begin(), part.end()));
        is_valid = is_valid && found != allowed.end();
        if (is_valid) indexes.insert(static_cast<std::size_t>(found - allowed.begin()));
    }
    if (is_valid) return {indexes.begin(), indexes.end()};
    fault(name, "not_allowed", "must be one or more of " + join(allowed) + ", separated by commas");
    return {};
}

std::int64_t Query::integer(std::string_view name, std::int64_t fallback, std::int64_t min, std::int64_t max)
{
    auto const value = find(name);
    if (!value) return fallback;
    std::int64_t number = 0;
    char const* const end = value->data() + value->size();
    auto const [stop, ec] = std::from_chars(value->data(), end, number);
    if (value->empty() || stop != end || (ec != std::errc() && ec != std::errc::result_out_of_range)) {
        fault(name, "type", "must be an integer");
        return fallback;
    }
    if (ec != std::errc() || number < min || number > max) {
        fault(name, "range", "must be from " + std::to_string(min) + " to " + std::to_string(max));
        return fallback;
    }
    return number;
}

std::optional<bool> Query::optional_boolean(std::string_view name)
{
    auto const value = find(name);
    if (!value) return std::nullopt;
    if (*value != "true" && *value != "false") {
        fault(name, "type", "must be true or false");
        return std::nullopt;
    }
    return *value == "true";
}

std::optional<core::Time> Query::time(std::string_view name)
{
    auto const value = find(name);
    if (!value) return std::nullopt;
    auto const time = core::parse_rfc3339(*value);
    if (!time) fault(name, "format", "must be an RFC 3339 timestamp; send a `+` in its offset as %2B");
    return time;
}

void Query::fault(std::string_view name, std::string code, std::string detail)
{
    faults_.push_back({"?" + std::string(name), std::move(code), std::move(detail)});
}

void Query::check() const
{
    if (!faults_.empty()) throw core::Error::validation(faults_);
}

} // namespace http
