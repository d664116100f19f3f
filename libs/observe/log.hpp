#pragma once

#include "core/enum_names.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace observe {

enum class Level : std::uint8_t { debug, info, warn, error, off };

constexpr auto enum_names(Level)
{
    return std::to_array<std::string_view>({"debug", "info", "warn", "error", "off"});
}

/// One member of a log line. `key` must be plain ASCII that needs no escaping, and must not be one of the
/// fixed keys (`time`, `level`, `service`, `message`). Views must live until the logging call returns.
struct Field {
    using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

    Field(std::string_view k, std::string_view v) : key(k), value(v) {}

    Field(std::string_view k, std::string const& v) : key(k), value(std::string_view(v)) {}

    Field(std::string_view k, char const* v) : key(k), value(std::string_view(v)) {}

    Field(std::string_view k, std::same_as<bool> auto v) : key(k), value(v) {}

    Field(std::string_view k, double v) : key(k), value(v) {}

    template <std::integral T>
        requires(!std::same_as<T, bool>)
    Field(std::string_view k, T v) : key(k), value(wide(v))
    {
    }

    std::string_view key;
    Value value;

private:
    template <std::integral T> static auto wide(T v)
    {
        if constexpr (std::signed_integral<T>)
            return static_cast<std::int64_t>(v);
        else
            return static_cast<std::uint64_t>(v);
    }
};

/// Writes one JSON object per line:
/// `{"time":"…Z","level":"info","service":"feedback","message":"…",…fields}`. Values are escaped (RFC 8259);
/// bytes that are not UTF-8 become U+FFFD, numbers that are not finite become `null`.
///
/// Thread-safe; never throws. Lines are buffered in memory, and the logger's own thread writes them: at once
/// for `warn` and `error`, otherwise within 200 ms. The destructor writes the rest. A caller never waits for
/// the reader of the log. While that reader hangs, at most 4 MiB of lines are kept. Further lines are
/// dropped, counted and reported in a line `log lines dropped`. A process that is killed loses up to 200 ms
/// of info lines.
class Logger {
public:
    /// Writes to file descriptor `fd`, which the caller owns.
    explicit Logger(std::string service, Level level = Level::info, int fd = 2);
    ~Logger();
    Logger(Logger const&) = delete;
    Logger& operator=(Logger const&) = delete;

    bool enabled(Level level) const noexcept;

    using Fields = std::initializer_list<Field>;

    void debug(std::string_view message, Fields fields = {}) { log(Level::debug, message, fields); }

    void info(std::string_view message, Fields fields = {}) { log(Level::info, message, fields); }

    void warn(std::string_view message, Fields fields = {}) { log(Level::warn, message, fields); }

    void error(std::string_view message, Fields fields = {}) { log(Level::error, message, fields); }

    void log(Level level, std::string_view message, Fields fields = {}) noexcept;

    /// Waits until all lines logged before are written or dropped, but at most `timeout`. Blocks, so do not
    /// call it on I/O threads.
    void flush(std::chrono::milliseconds timeout = std::chrono::milliseconds(1000)) noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Returns the first line of an exception's text, at most 500 bytes. The other lines of a database error
/// contain values of rows, which must not be logged.
inline std::string_view first_line(std::string_view text) noexcept
{
    return text.substr(0, text.find('\n')).substr(0, 500);
}

} // namespace observe
