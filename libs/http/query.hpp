#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace http {

/// Reads query parameters (`application/x-www-form-urlencoded`) into typed values and collects all errors.
/// The pointer of an error is the parameter's name (`?limit`). Works like core::Fields. A repeated parameter
/// is an error. Unknown parameters are ignored. Text must be UTF-8 without U+0000. An invalid parameter is
/// treated as absent, so that one response reports all invalid parameters. Must not outlive the request.
class Query {
public:
    explicit Query(Request const& request);

    /// Returns nullopt if the parameter is absent. `min` and `max` count code points.
    std::optional<std::string> text(std::string_view name, std::size_t min, std::size_t max);

    /// Like `text`, but an absent parameter is an error (`required`). Returns an empty string if the
    /// parameter is absent or invalid.
    std::string required_text(std::string_view name, std::size_t min, std::size_t max);
    /// Returns an index into `allowed`; nullopt if absent.
    std::optional<std::size_t> one_of(std::string_view name, std::span<std::string_view const> allowed);

    /// Like the other `one_of`, for the names of an enum.
    template <core::NamedEnum E> std::optional<E> one_of(std::string_view name)
    {
        auto const index = one_of(name, core::names_of<E>);
        return index ? std::optional(static_cast<E>(*index)) : std::nullopt;
    }

    /// Reads names that are separated by commas. Returns indexes into `allowed`, ascending and distinct; none
    /// if the parameter is absent.
    std::vector<std::size_t> some_of(std::string_view name, std::span<std::string_view const> allowed);

    /// Like the other `some_of`, for the names of an enum.
    template <core::NamedEnum E> std::vector<E> some_of(std::string_view name)
    {
        std::vector<E> values;
        for (auto const index : some_of(name, core::names_of<E>))
            values.push_back(static_cast<E>(index));
        return values;
    }

    /// A decimal number, with `-` if negative.
    std::int64_t integer(std::string_view name, std::int64_t fallback, std::int64_t min, std::int64_t max);
    /// `true` or `false`.
    std::optional<bool> optional_boolean(std::string_view name);

    bool boolean(std::string_view name, bool fallback) { return optional_boolean(name).value_or(fallback); }

    /// RFC 3339 with an offset.
    std::optional<core::Time> time(std::string_view name);

    /// Reads the parameter `limit`, from 1 to 100. Returns 20 if it is absent.
    std::size_t limit() { return static_cast<std::size_t>(integer("limit", 20, 1, 100)); }

    /// Records an error found by the caller.
    void fault(std::string_view name, std::string code, std::string detail);
    /// Throws one VALIDATION_ERROR if there were errors.
    void check() const;

private:
    struct Parameter {
        std::string name;
        std::string_view raw; ///< the value as received
    };

    std::optional<std::string> find(std::string_view name);

    std::vector<Parameter> parameters_;
    std::vector<core::FieldError> faults_;
};

} // namespace http
