#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// A moment in UTC with the resolution PostgreSQL keeps.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// The moments that have a form in RFC 3339 and in PostgreSQL alike: the years 0001 to 9999.
inline constexpr Time min_time{std::chrono::sys_days{std::chrono::year{1} / 1 / 1}};
inline constexpr Time max_time{
    std::chrono::sys_days{std::chrono::year{10000} / 1 / 1} - std::chrono::microseconds{1}};

constexpr bool is_representable(Time time) noexcept
{
    return time >= min_time && time <= max_time;
}

/// RFC 3339 in UTC with milliseconds, the rest cut off: `2026-01-31T23:59:59.999Z`.
/// Throws std::out_of_range for a time that is not representable.
std::string to_rfc3339(Time time);

inline constexpr std::size_t rfc3339_size = 24;

/// The same into `out[0..rfc3339_size)`.
void write_rfc3339(Time time, char* out);

/// Parses an RFC 3339 timestamp: a date that exists, `T` or `t`, an offset (`Z`, `z`, `+hh:mm`, `-hh:mm`),
/// and none or 1 to 9 digits of fraction, of which those past the microsecond are dropped. nullopt when it is
/// anything else, or not representable in UTC. A leap second, `:60` in the last minute of a UTC day, is read
/// as the second after it.
std::optional<Time> parse_rfc3339(std::string_view text) noexcept;

/// Where the time comes from, so that tests can move it. Implementations are safe to call from any thread.
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
