#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/error.hpp"

#include <boost/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// A field of a PATCH body: absent, cleared with `null`, or given.
template <class T> struct Change {
    bool present = false;
    std::optional<T> value; ///< if `present`: the value, or nullopt for `null`

    explicit operator bool() const noexcept { return present; }
};

/// Reads a JSON object into typed values and collects all errors. `check()` throws one `VALIDATION_ERROR`
/// that lists them. For an invalid field, getters return a default-constructed value, so that the later
/// fields are read as well. Lengths count code points. Text with U+0000 is an error (`format`). Errors beyond
/// `max_faults` are dropped.
///
///     core::Fields f(req.json()); // owns the tree
///     n.title = f.text("title", 1, 200);
///     f.check();
class Fields {
public:
    static constexpr std::size_t max_faults = Error::max_faults;

    /// `body` must outlive this object. If the body is not an object, that is the only error, with the
    /// pointer `prefix`. If `body` is part of a larger body, `prefix` is the pointer of this part
    /// (`/appContext`).
    explicit Fields(boost::json::value const& body, std::string prefix = {});

    /// Takes ownership of `body`. Pointers that getters return are valid for the lifetime of this object.
    explicit Fields(boost::json::value&& body);

    Fields(Fields const&) = delete;
    Fields& operator=(Fields const&) = delete;

    bool has(std::string_view name) const; ///< whether the field is present, also as `null`
    bool is_null(std::string_view name) const;

    std::string text(std::string_view name, std::size_t min, std::size_t max);
    std::optional<std::string> optional_text(std::string_view name, std::size_t min, std::size_t max);
    Change<std::string> change_text(std::string_view name, std::size_t min, std::size_t max);

    /// Like `text`, for a member whose name the client chooses: U+0000 in the name is an error, too.
    std::string entry(std::string_view name, std::size_t min, std::size_t max);

    /// An email address in a PATCH; `null` clears it.
    Change<std::string> change_email(std::string_view name);

    /// Returns an index into `allowed`, or 0 if the value is invalid.
    std::size_t one_of(std::string_view name, std::span<std::string_view const> allowed);
    std::optional<std::size_t> optional_one_of(
        std::string_view name, std::span<std::string_view const> allowed);
    /// For a PATCH. If `nullable` is true, `null` is allowed and clears the field.
    Change<std::size_t> change_one_of(
        std::string_view name, std::span<std::string_view const> allowed, bool nullable);

    /// Like the other `one_of`, for the names of an enum. Returns the first value if the field is invalid.
    template <NamedEnum E> E one_of(std::string_view name)
    {
        return static_cast<E>(one_of(name, names_of<E>));
    }

    template <NamedEnum E> std::optional<E> optional_one_of(std::string_view name)
    {
        auto const index = optional_one_of(name, names_of<E>);
        return index ? std::optional(static_cast<E>(*index)) : std::nullopt;
    }

    template <NamedEnum E> Change<E> change_one_of(std::string_view name, bool nullable)
    {
        auto const index = change_one_of(name, names_of<E>, nullable);
        return {index.present, index.value ? std::optional(static_cast<E>(*index.value)) : std::nullopt};
    }

    std::int64_t integer(std::string_view name, std::int64_t min, std::int64_t max);
    std::optional<std::int64_t> optional_integer(std::string_view name, std::int64_t min, std::int64_t max);
    std::optional<bool> optional_boolean(std::string_view name);
    std::optional<Time> optional_time(std::string_view name); ///< reads RFC 3339

    /// Array of at most `max_items` strings of 1..`max_length` code points; absent or null is empty.
    std::vector<std::string> optional_list(
        std::string_view name, std::size_t max_items, std::size_t max_length);
    Change<std::vector<std::string>> change_list(
        std::string_view name, std::size_t max_items, std::size_t max_length);

    /// The nested object, or nullptr if absent or null. Another type is an error.
    boost::json::value const* optional_object(std::string_view name);
    /// The array, or nullptr if absent or null. Another type and more than `max_items` are errors.
    boost::json::array const* optional_array(std::string_view name, std::size_t max_items);

    /// Records an error found by the caller. Only the first error of a field is kept.
    void fault(std::string_view name, std::string code, std::string detail);
    /// Like `fault`, for one element of a list: `/attachmentIds/3`.
    void fault_at(std::string_view name, std::size_t index, std::string code, std::string detail);
    /// Adds the errors of a nested reader.
    void absorb(Fields const& nested);

    bool ok() const noexcept { return faults_.empty(); }

    std::vector<FieldError> const& faults() const noexcept { return faults_; }

    /// Throws a `VALIDATION_ERROR` if there were errors.
    void check() const;

    /// For an object in a larger body that a PATCH describes: records an error if the object has none of
    /// `names`.
    void require_any_of(std::span<std::string_view const> names);

    /// For a PATCH: `require_any_of`, then `check()`.
    void check_any_of(std::span<std::string_view const> names);

private:
    boost::json::value const* find(std::string_view name) const;
    boost::json::value const* find_given(std::string_view name) const;
    std::optional<boost::json::value const*> find_change(std::string_view name, bool nullable);
    boost::json::value const* find_required(std::string_view name);
    std::string pointer(std::string_view name) const;
    void add(std::string pointer, std::string code, std::string detail);

    std::optional<std::string> read_text(
        boost::json::value const& value, std::string pointer, std::size_t min, std::size_t max);
    std::optional<std::size_t> read_one_of(
        boost::json::value const& value, std::string_view name, std::span<std::string_view const> allowed);
    std::optional<std::int64_t> read_integer(
        boost::json::value const& value, std::string_view name, std::int64_t min, std::int64_t max);
    std::optional<std::vector<std::string>> read_list(boost::json::value const& value, std::string_view name,
        std::size_t max_items, std::size_t max_length);
    boost::json::array const* read_array(
        boost::json::value const& value, std::string_view name, std::size_t max_items);

    boost::json::value const owned_; ///< null if the caller owns the body
    boost::json::object const* object_ = nullptr;
    std::string prefix_;
    std::vector<FieldError> faults_;
};

/// Whether `text` is an email address as web forms accept it (WHATWG HTML, "valid e-mail address") of at most
/// 254 characters.
bool is_email(std::string_view text);

/// Number of code points in valid UTF-8.
std::size_t count_code_points(std::string_view utf8) noexcept;
/// The longest prefix of `utf8` that has at most `limit` bytes and ends with a whole character.
std::string_view whole_characters(std::string_view utf8, std::size_t limit) noexcept;
/// The first line of another system's text, without the blank space before it, to be stored and shown. It is
/// cut to `limit` bytes at a character boundary. Control characters become `?`. If the line is not UTF-8, all
/// bytes that are not ASCII become `?` too.
std::string first_line(std::string_view text, std::size_t limit);
/// Whether `text` is well-formed UTF-8 (RFC 3629).
bool is_utf8(std::string_view text) noexcept;

} // namespace core
