#pragma once

#include "core/clock.hpp"
#include "core/user_id.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

class Uuid;

/// Writes JSON into a string without a tree, because Boost.JSON 1.81 can only serialise a tree. The writer
/// adds commas; the caller must close each bracket that it opens. Text must be valid UTF-8.
///
///     core::JsonWriter w;
///     w.begin_object().member("id", id).member("tags", tags).end_object();
///     return std::move(w).str();
class JsonWriter {
public:
    JsonWriter() = default;

    /// Reserves memory for `reserve` characters.
    explicit JsonWriter(std::size_t reserve) { grow(reserve); }

    JsonWriter& begin_object() { return open('{'); }

    JsonWriter& end_object() { return close('}'); }

    JsonWriter& begin_array() { return open('['); }

    JsonWriter& end_array() { return close(']'); }

    /// `name` is plain ASCII and is not escaped.
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);

    JsonWriter& value(char const* text) { return value(std::string_view(text)); }

    JsonWriter& value(std::string const& text) { return value(std::string_view(text)); }

    JsonWriter& value(std::same_as<bool> auto b) { return raw(b ? "true" : "false"); }

    template <std::integral T>
        requires(!std::same_as<T, bool> && !std::same_as<T, char>)
    JsonWriter& value(T number)
    {
        if constexpr (std::signed_integral<T>)
            return write_integer(static_cast<std::int64_t>(number));
        else
            return write_integer(static_cast<std::uint64_t>(number));
    }

    /// The shortest form that parses to the same value; `null` if `number` is not finite.
    JsonWriter& value(double number);
    JsonWriter& value(Time time); ///< the text of `to_rfc3339`
    JsonWriter& value(Uuid const& id);

    JsonWriter& value(UserId const& id) { return value(id.text()); }

    JsonWriter& value(std::span<std::string const> texts);

    JsonWriter& value(std::vector<std::string> const& texts) { return value(std::span(texts)); }

    JsonWriter& value(std::nullptr_t) { return null(); }

    JsonWriter& null() { return raw("null"); }

    template <class T> JsonWriter& value(std::optional<T> const& v) { return v ? value(*v) : null(); }

    /// Writes `json`, which must be valid JSON, such as the value of a `jsonb` column.
    JsonWriter& raw(std::string_view json);

    template <class T> JsonWriter& member(std::string_view name, T const& v)
    {
        key(name);
        return value(v);
    }

    /// Returns the text. The writer is empty afterwards.
    std::string str() &&;

    /// The text so far. Valid until the next use of the writer.
    std::string_view str() const& { return {out_.data(), size_}; }

private:
    /// Returns space for the next `count` characters. The caller then calls `advance` with the new end of the
    /// text.
    char* room(std::size_t count)
    {
        if (out_.size() - size_ < count) grow(count);
        return out_.data() + size_;
    }

    void advance(char const* end) { size_ = static_cast<std::size_t>(end - out_.data()); }

    void grow(std::size_t count);
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    JsonWriter& write_integer(std::int64_t number);
    JsonWriter& write_integer(std::uint64_t number);

    std::string out_;      ///< longer than the written text, so that most writes need one size check
    std::size_t size_ = 0; ///< length of the written text
    bool comma_ = false;   ///< whether the next value needs a comma before it
};

} // namespace core
