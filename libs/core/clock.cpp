#include "core/clock.hpp"

#include <array>
#include <stdexcept>

namespace core {

namespace {

using namespace std::chrono;

constexpr auto digit_pairs = [] {
    std::array<char, 200> pairs{};
    for (int i = 0; i < 100; ++i) {
        pairs[static_cast<std::size_t>(2 * i)] = static_cast<char>('0' + i / 10);
        pairs[static_cast<std::size_t>(2 * i + 1)] = static_cast<char>('0' + i % 10);
    }
    return pairs;
}();

char* put_two(char* out, unsigned value)
{
    out[0] = digit_pairs[2 * value];
    out[1] = digit_pairs[2 * value + 1];
    return out + 2;
}

/// Reads a text from the front. After the first failure, the remaining text is empty.
class Scanner {
public:
    explicit Scanner(std::string_view text) noexcept : rest_(text) {}

    int digits(std::size_t count) noexcept
    {
        if (rest_.size() < count) return fail();
        int value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (!is_digit(rest_[i])) return fail();
            value = value * 10 + (rest_[i] - '0');
        }
        rest_.remove_prefix(count);
        return value;
    }

    char one_of(std::string_view allowed) noexcept
    {
        if (rest_.empty() || allowed.find(rest_.front()) == std::string_view::npos)
            return static_cast<char>(fail());
        char const c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    /// Reads a fraction: `.` and 1 to 9 digits, or nothing.
    microseconds fraction() noexcept
    {
        if (!rest_.starts_with('.')) return microseconds::zero();
        rest_.remove_prefix(1);
        std::size_t count = 0;
        int nanos = 0;
        for (; count < rest_.size() && is_digit(rest_[count]) && count < 10; ++count)
            if (count < 9) nanos = nanos * 10 + (rest_[count] - '0');
        if (count == 0 || count > 9) return microseconds(fail());
        for (std::size_t i = count; i < 9; ++i)
            nanos *= 10;
        rest_.remove_prefix(count);
        return microseconds(nanos / 1000);
    }

    bool done() const noexcept { return ok_ && rest_.empty(); }

private:
    static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

    int fail() noexcept
    {
        ok_ = false;
        rest_ = {};
        return 0;
    }

    std::string_view rest_;
    bool ok_ = true;
};

} // namespace

void write_rfc3339(Time time, char* out)
{
    if (!is_representable(time)) throw std::out_of_range("a time outside the years 0001 to 9999");
    auto const day = floor<days>(time);
    year_month_day const date(day);
    auto const in_day = static_cast<unsigned>(floor<milliseconds>(time - day).count());
    auto const year_number = static_cast<unsigned>(static_cast<int>(date.year()));
    out = put_two(out, year_number / 100);
    out = put_two(out, year_number % 100);
    *out++ = '-';
    out = put_two(out, static_cast<unsigned>(date.month()));
    *out++ = '-';
    out = put_two(out, static_cast<unsigned>(date.day()));
    *out++ = 'T';
    out = put_two(out, in_day / 3'600'000);
    *out++ = ':';
    out = put_two(out, in_day / 60'000 % 60);
    *out++ = ':';
    out = put_two(out, in_day / 1000 % 60);
    *out++ = '.';
    *out++ = static_cast<char>('0' + in_day % 1000 / 100);
    out = put_two(out, in_day % 100);
    *out = 'Z';
}

std::string to_rfc3339(Time time)
{
    std::string text(rfc3339_size, '\0');
    write_rfc3339(time, text.data());
    return text;
}

std::optional<Time> parse_rfc3339(std::string_view text) noexcept
{
    Scanner scan(text);
    year const y(scan.digits(4));
    scan.one_of("-");
    month const m(static_cast<unsigned>(scan.digits(2)));
    scan.one_of("-");
    day const d(static_cast<unsigned>(scan.digits(2)));
    scan.one_of("Tt");
    int const hour = scan.digits(2);
    scan.one_of(":");
    int const minute = scan.digits(2);
    scan.one_of(":");
    int const second = scan.digits(2);
    microseconds const fraction = scan.fraction();
    minutes offset{0};
    if (char const sign = scan.one_of("Zz+-"); sign == '+' || sign == '-') {
        int const offset_hour = scan.digits(2);
        scan.one_of(":");
        int const offset_minute = scan.digits(2);
        if (offset_hour > 23 || offset_minute > 59) return std::nullopt;
        offset = minutes(offset_hour * 60 + offset_minute) * (sign == '-' ? -1 : 1);
    }
    year_month_day const date(y, m, d);
    if (!scan.done() || !date.ok() || y < year(1) || hour > 23 || minute > 59 || second > 60)
        return std::nullopt;
    auto const utc_minute = sys_days(date) + hours(hour) + minutes(minute) - offset;
    if (second == 60 && utc_minute - floor<days>(utc_minute) != minutes(24 * 60 - 1)) return std::nullopt;
    Time const time = utc_minute + seconds(second) + fraction;
    return is_representable(time) ? std::optional(time) : std::nullopt;
}

Time SystemClock::now() const
{
    return floor<microseconds>(system_clock::now());
}

} // namespace core
