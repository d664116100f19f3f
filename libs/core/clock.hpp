#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// A point in time in UTC, in microseconds like PostgreSQL's timestamps.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// The range that both RFC 3339 and PostgreSQL can express: the years 0001 to 9999.
inline constexpr Time min_time{std::chrono::sys_days{std::chrono::year{1} / 1 / 1}};
inline constexpr Time max_time{
    std::chrono::sys_days{std::chrono::year{10000} / 1 / 1} - std::chrono::microseconds{1}};

constexpr bool is_representable(Time time) noexcept
{
    return time >= min_time && time <= max_time;
}

/// Formats as RFC 3339 in UTC with milliseconds, truncated: `2026-01-31T23:59:59.999Z`. Throws
/// std::out_of_range for a time that is not representable.
std::string to_rfc3339(Time time);

inline constexpr std::size_t rfc3339_size = 24;

/// Writes the text of `to_rfc3339` to `out[0..rfc3339_size)`. Throws the errors of `to_rfc3339`.
void write_rfc3339(Time time, char* out);

/// Parses an RFC 3339 timestamp: an existing date, `T` or `t`, an offset (`Z`, `z`, `+hh:mm`, `-hh:mm`), and
/// optionally a fraction of 1 to 9 digits, which is truncated to microseconds. Returns nullopt for any other
/// text and for a time that is not representable in UTC. A leap second, `:60` in the last minute of a UTC
/// day, is read as the second after it.
std::optional<Time> parse_rfc3339(std::string_view text) noexcept;

/// Whole seconds since 1970, rounded down, as in JWT (NumericDate) and Unix time.
constexpr std::int64_t unix_seconds(Time time) noexcept
{
    return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

/// The first time after the millisecond of `time`. Responses show times in milliseconds, so a filter for
/// times after a shown time begins here.
constexpr Time next_millisecond(Time time) noexcept
{
    return std::chrono::floor<std::chrono::milliseconds>(time) + std::chrono::milliseconds(1);
}

/// Source of the time; tests replace it. Implementations are thread-safe.
class Clock {
public:
    virtual ~Clock() = default;
    virtual Time now() const = 0;
};

class SystemClock final : public Clock {
public:
    Time now() const override;
};

} // namespace core
