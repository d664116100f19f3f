#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace redis {

/// Redis is down, does not answer, or cannot serve commands now (loading data, failing over, out of memory).
/// It is unknown whether the command was executed.
class Unavailable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Redis refused the command, for example with `WRONGTYPE …` or an error of a script. The cause is a bug in
/// this project.
class CommandError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One answer (RESP2). The getters throw std::bad_variant_access for an answer of another type.
class Reply {
public:
    using Array = std::vector<Reply>;

    Reply() = default; ///< nil

    explicit Reply(std::int64_t number) : value_(number) {}

    explicit Reply(std::string text) : value_(std::move(text)) {}

    explicit Reply(Array elements) : value_(std::move(elements)) {}

    bool is_nil() const noexcept { return std::holds_alternative<std::monostate>(value_); }

    std::int64_t integer() const { return std::get<std::int64_t>(value_); }

    std::string const& text() const { return std::get<std::string>(value_); } ///< bulk or status string

    Array const& array() const { return std::get<Array>(value_); }

private:
    std::variant<std::monostate, std::int64_t, std::string, Array> value_;
};

} // namespace redis
