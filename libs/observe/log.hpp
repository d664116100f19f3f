#pragma once

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

/// `debug`, `info`, `warn`, `error`, `off`; nullopt for anything else.
std::optional<Level> parse_level(std::string_view text) noexcept;

/// One member of a log line. `key` is plain ASCII, not escaped, and not one of the fixed keys; views must
/// live until the logging call returns.
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

/// Writes one JSON object a line: `{"time":"…Z","level":"info","service":"feedback","message":"…",…fields}`.
/// Values are escaped (RFC 8259); bytes that are not UTF-8 become U+FFFD, numbers that are not finite `null`.
///
/// Lines are gathered in memory and written by a thread of the logger: at once for warn and above, else
/// within 200 ms, and in the destructor, so a caller never waits for whoever reads the log. While that reader
/// hangs, at most 4 MiB are kept; what is dropped beyond is counted and reported in a line of its own. A
/// process that is killed loses up to 200 ms of info lines. Safe from any thread. Never throws.
class Logger {
public:
    /// Writes to file descriptor `fd`, which stays the caller's.
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

    /// Waits until everything logged before is written, at most `timeout`. Blocks: not for I/O threads.
    void flush(std::chrono::milliseconds timeout = std::chrono::milliseconds(1000)) noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The first line of an exception's text, at most 500 bytes of it. Those that follow in a database's message
/// show values of rows, which no log may hold.
inline std::string_view first_line(std::string_view text) noexcept
{
    return text.substr(0, text.find('\n')).substr(0, 500);
}

} // namespace observe
