#include "core/fields.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace core {

namespace json = boost::json;

namespace {

/// Appends one reference token of a JSON pointer, escaped (RFC 6901, 3).
void append_escaped(std::string& out, std::string_view token)
{
    for (char const c : token) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
}

std::string join(std::span<std::string_view const> words)
{
    std::string text;
    for (std::string_view const word : words) {
        if (!text.empty()) text += ", ";
        text += word;
    }
    return text;
}

std::string counted(std::size_t count, std::string_view unit)
{
    std::string text = std::to_string(count);
    text.append(" ").append(unit);
    if (count != 1) text += 's';
    return text;
}

/// A change to `value`. If `value` is nullopt, because the field was invalid, there is no change.
template <class T> Change<T> changed(std::optional<T> value)
{
    return {value.has_value(), std::move(value)};
}

/// An integer, or a number like `20.0` that has no fraction.
struct Integer {
    bool integral = false;
    std::optional<std::int64_t> value; ///< nullopt if it does not fit into 64 bits
};

Integer to_integer(json::value const& value)
{
    if (auto const* number = value.if_int64()) return {true, *number};
    if (value.if_uint64() != nullptr) return {true, std::nullopt};
    auto const* number = value.if_double();
    if (number == nullptr || std::trunc(*number) != *number) return {};
    // Above 2^53 every double is integral, so the value may differ from the number that the client sent.
    constexpr double exact = 9007199254740992.0;
    if (std::fabs(*number) > exact) return {true, std::nullopt};
    return {true, static_cast<std::int64_t>(*number)};
}

} // namespace

Fields::Fields(json::value const& body, std::string prefix)
    : object_(body.if_object()), prefix_(std::move(prefix))
{
    if (object_ == nullptr) faults_.push_back({prefix_, "type", "must be a JSON object"});
}

Fields::Fields(json::value&& body) : owned_(std::move(body)), object_(owned_.if_object())
{
    if (object_ == nullptr) faults_.push_back({prefix_, "type", "must be a JSON object"});
}

bool Fields::has(std::string_view name) const
{
    return find(name) != nullptr;
}

bool Fields::is_null(std::string_view name) const
{
    auto const* value = find(name);
    return value != nullptr && value->is_null();
}

std::string Fields::text(std::string_view name, std::size_t min, std::size_t max)
{
    auto const* value = find_required(name);
    if (value == nullptr) return {};
    return read_text(*value, pointer(name), min, max).value_or(std::string());
}

std::optional<std::string> Fields::optional_text(std::string_view name, std::size_t min, std::size_t max)
{
    auto const* value = find_given(name);
    if (value == nullptr) return std::nullopt;
    return read_text(*value, pointer(name), min, max);
}

Change<std::string> Fields::change_text(std::string_view name, std::size_t min, std::size_t max)
{
    auto const value = find_change(name, true);
    if (!value) return {};
    if (*value == nullptr) return {true, std::nullopt};
    return changed(read_text(**value, pointer(name), min, max));
}

std::string Fields::entry(std::string_view name, std::size_t min, std::size_t max)
{
    if (name.find('\0') != std::string_view::npos)
        fault(name, "format", "must not have a name that contains U+0000");
    return text(name, min, max);
}

std::size_t Fields::one_of(std::string_view name, std::span<std::string_view const> allowed)
{
    auto const* value = find_required(name);
    if (value == nullptr) return 0;
    return read_one_of(*value, name, allowed).value_or(0);
}

std::optional<std::size_t> Fields::optional_one_of(
    std::string_view name, std::span<std::string_view const> allowed)
{
    auto const* value = find_given(name);
    if (value == nullptr) return std::nullopt;
    return read_one_of(*value, name, allowed);
}

Change<std::size_t> Fields::change_one_of(
    std::string_view name, std::span<std::string_view const> allowed, bool nullable)
{
    auto const value = find_change(name, nullable);
    if (!value) return {};
    if (*value == nullptr) return {true, std::nullopt};
    return changed(read_one_of(**value, name, allowed));
}

std::int64_t Fields::integer(std::string_view name, std::int64_t min, std::int64_t max)
{
    auto const* value = find_required(name);
    if (value == nullptr) return 0;
    return read_integer(*value, name, min, max).value_or(0);
}

std::optional<std::int64_t> Fields::optional_integer(
    std::string_view name, std::int64_t min, std::int64_t max)
{
    auto const* value = find_given(name);
    if (value == nullptr) return std::nullopt;
    return read_integer(*value, name, min, max);
}

std::optional<bool> Fields::optional_boolean(std::string_view name)
{
    auto const* value = find_given(name);
    if (value == nullptr) return std::nullopt;
    if (auto const* flag = value->if_bool()) return *flag;
    fault(name, "type", "must be true or false");
    return std::nullopt;
}

std::optional<Time> Fields::optional_time(std::string_view name)
{
    auto const* value = find_given(name);
    if (value == nullptr) return std::nullopt;
    auto const* text = value->if_string();
    if (text == nullptr) {
        fault(name, "type", "must be a string");
        return std::nullopt;
    }
    auto const time = parse_rfc3339(std::string_view(*text));
    if (!time) fault(name, "format", "must be an RFC 3339 timestamp such as 2026-01-31T12:00:00Z");
    return time;
}

std::vector<std::string> Fields::optional_list(
    std::string_view name, std::size_t max_items, std::size_t max_length)
{
    auto const* value = find_given(name);
    if (value == nullptr) return {};
    return read_list(*value, name, max_items, max_length).value_or(std::vector<std::string>());
}

Change<std::vector<std::string>> Fields::change_list(
    std::string_view name, std::size_t max_items, std::size_t max_length)
{
    auto const value = find_change(name, true);
    if (!value) return {};
    if (*value == nullptr) return {true, std::nullopt};
    return changed(read_list(**value, name, max_items, max_length));
}

json::value const* Fields::optional_object(std::string_view name)
{
    auto const* value = find_given(name);
    if (value == nullptr || value->is_object()) return value;
    fault(name, "type", "must be an object");
    return nullptr;
}

json::array const* Fields::optional_array(std::string_view name, std::size_t max_items)
{
    auto const* value = find_given(name);
    return value == nullptr ? nullptr : read_array(*value, name, max_items);
}

void Fields::fault(std::string_view name, std::string code, std::string detail)
{
    add(pointer(name), std::move(code), std::move(detail));
}

void Fields::fault_at(std::string_view name, std::size_t index, std::string code, std::string detail)
{
    add(pointer(name) + "/" + std::to_string(index), std::move(code), std::move(detail));
}

void Fields::absorb(Fields const& nested)
{
    for (FieldError const& fault : nested.faults_)
        add(fault.pointer, fault.code, fault.detail);
}

void Fields::check() const
{
    if (!ok()) throw Error::validation(faults_);
}

void Fields::require_any_of(std::span<std::string_view const> names)
{
    if (std::none_of(names.begin(), names.end(), [this](std::string_view name) { return has(name); }))
        add(prefix_, "required", "must have at least one of " + join(names));
}

void Fields::check_any_of(std::span<std::string_view const> names)
{
    require_any_of(names);
    check();
}

json::value const* Fields::find(std::string_view name) const
{
    return object_ == nullptr ? nullptr : object_->if_contains(name);
}

/// Returns nullptr if the field is absent or null.
json::value const* Fields::find_given(std::string_view name) const
{
    auto const* value = find(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

json::value const* Fields::find_required(std::string_view name)
{
    auto const* value = find_given(name);
    if (value == nullptr) fault(name, "required", "is required");
    return value;
}

/// Returns nullopt if the field is not changed, and nullptr if it is cleared.
std::optional<json::value const*> Fields::find_change(std::string_view name, bool nullable)
{
    auto const* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_null()) return value;
    if (nullable) return nullptr;
    fault(name, "required", "must not be null");
    return std::nullopt;
}

/// An empty `name` means the object itself.
std::string Fields::pointer(std::string_view name) const
{
    std::string text = prefix_;
    if (name.empty()) return text;
    text += '/';
    append_escaped(text, name);
    return text;
}

void Fields::add(std::string pointer, std::string code, std::string detail)
{
    // If the body is not an object, no further error is added.
    if (object_ == nullptr || faults_.size() >= max_faults) return;
    if (std::any_of(
            faults_.begin(), faults_.end(), [&](FieldError const& f) { return f.pointer == pointer; }))
        return;
    faults_.push_back({std::move(pointer), std::move(code), std::move(detail)});
}

std::optional<std::string> Fields::read_text(
    json::value const& value, std::string pointer, std::size_t min, std::size_t max)
{
    auto const* string = value.if_string();
    if (string == nullptr) {
        add(std::move(pointer), "type", "must be a string");
        return std::nullopt;
    }
    std::string_view const text(*string);
    std::size_t const length = count_code_points(text);
    if (text.find('\0') != std::string_view::npos)
        add(std::move(pointer), "format", "must not contain U+0000");
    else if (length > max)
        add(std::move(pointer), "too_long", "must be at most " + counted(max, "character"));
    else if (length < min && min == 1)
        add(std::move(pointer), "too_short", "must not be empty");
    else if (length < min)
        add(std::move(pointer), "too_short", "must be at least " + counted(min, "character"));
    else
        return std::string(text);
    return std::nullopt;
}

std::optional<std::size_t> Fields::read_one_of(
    json::value const& value, std::string_view name, std::span<std::string_view const> allowed)
{
    auto const* text = value.if_string();
    if (text == nullptr) {
        fault(name, "type", "must be a string");
        return std::nullopt;
    }
    auto const it = std::find(allowed.begin(), allowed.end(), std::string_view(*text));
    if (it != allowed.end()) return static_cast<std::size_t>(it - allowed.begin());
    fault(name, "not_allowed", "must be one of " + join(allowed));
    return std::nullopt;
}

std::optional<std::int64_t> Fields::read_integer(
    json::value const& value, std::string_view name, std::int64_t min, std::int64_t max)
{
    Integer const number = to_integer(value);
    if (!number.integral) {
        fault(name, "type", "must be an integer");
        return std::nullopt;
    }
    if (number.value && *number.value >= min && *number.value <= max) return number.value;
    fault(name, "range", "must be from " + std::to_string(min) + " to " + std::to_string(max));
    return std::nullopt;
}

std::optional<std::vector<std::string>> Fields::read_list(
    json::value const& value, std::string_view name, std::size_t max_items, std::size_t max_length)
{
    auto const* array = read_array(value, name, max_items);
    if (array == nullptr) return std::nullopt;
    std::vector<std::string> items;
    items.reserve(array->size());
    std::string const base = pointer(name) + "/";
    for (std::size_t i = 0; i < array->size(); ++i) {
        auto text = read_text((*array)[i], base + std::to_string(i), 1, max_length);
        if (text) items.push_back(std::move(*text));
    }
    if (items.size() != array->size()) return std::nullopt;
    return items;
}

json::array const* Fields::read_array(json::value const& value, std::string_view name, std::size_t max_items)
{
    auto const* array = value.if_array();
    if (array == nullptr) {
        fault(name, "type", "must be an array");
        return nullptr;
    }
    if (array->size() <= max_items) return array;
    fault(name, "too_many", "must have at most " + counted(max_items, "item"));
    return nullptr;
}

} // namespace core
