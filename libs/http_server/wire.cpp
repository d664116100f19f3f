#include "http_server/wire.hpp"

#include "http/problem.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace http_server {

namespace {

constexpr std::string_view days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::string_view months[] = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void append_number(std::string& out, std::uint64_t number, int base = 10)
{
    std::array<char, 20> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
    out.append(digits.data(), end);
}

void append_clean(std::string& out, std::string_view text)
{
    auto const from = static_cast<std::ptrdiff_t>(out.size());
    out += text;
    std::replace_if(
        out.begin() + from, out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
}

void append_status_line(std::string& out, unsigned status)
{
    if (status == 200) {
        out += "HTTP/1.1 200 OK\r\n";
        return;
    }
    out += "HTTP/1.1 ";
    append_number(out, status);
    out += ' ';
    out += http::reason_phrase(status);
    out += "\r\n";
}

char* put_two(char* to, unsigned value)
{
    *to++ = static_cast<char>('0' + value / 10 % 10);
    *to++ = static_cast<char>('0' + value % 10);
    return to;
}

std::uint64_t body_length(http::Response const& response) noexcept
{
    return response.stream ? response.stream_length.value_or(0) : response.content().size();
}

} // namespace

// The time as IMF-fixdate (RFC 9110, 5.6.7): `Date: Sun, 06 Nov 1994 08:49:37 GMT`.
std::string_view DateLine::at(std::time_t now)
{
    constexpr std::size_t length = 37;
    if (now == second_) return {line_.data(), length};
    second_ = now;
    using namespace std::chrono;
    sys_seconds const time{seconds(now)};
    auto const day = floor<std::chrono::days>(time);
    year_month_day const date(day);
    hh_mm_ss const clock(time - day);
    auto const year = static_cast<unsigned>(static_cast<int>(date.year()));

    auto const put = [](char* to, std::string_view text) { return std::ranges::copy(text, to).out; };
    char* to = put(line_.data(), "Date: ");
    to = put(to, http_server::days[weekday(day).c_encoding()]);
    to = put(to, ", ");
    to = put_two(to, static_cast<unsigned>(date.day()));
    *to++ = ' ';
    to = put(to, http_server::months[static_cast<unsigned>(date.month()) - 1]);
    *to++ = ' ';
    to = put_two(put_two(to, year / 100), year % 100);
    *to++ = ' ';
    to = put_two(to, static_cast<unsigned>(clock.hours().count()));
    *to++ = ':';
    to = put_two(to, static_cast<unsigned>(clock.minutes().count()));
    *to++ = ':';
    to = put_two(to, static_cast<unsigned>(clock.seconds().count()));
    put(to, " GMT\r\n");
    return {line_.data(), length};
}

void append_head(std::string& out, http::Response const& response, Framing framing, Persistence persistence,
    std::string_view date)
{
    append_status_line(out, response.status);
    out += date;
    if (!is_bodiless(response.status)) {
        if (!response.content_type.empty()) {
            out += "Content-Type: ";
            out += response.content_type;
            out += "\r\n";
        }
        if (framing == Framing::length) {
            out += "Content-Length: ";
            append_number(out, body_length(response));
            out += "\r\n";
        } else if (framing == Framing::chunked) {
            out += "Transfer-Encoding: chunked\r\n";
        }
    }
    for (auto const& [name, value] : response.headers) {
        append_clean(out, name);
        out += ": ";
        append_clean(out, value);
        out += "\r\n";
    }
    out += "X-Content-Type-Options: nosniff\r\n";
    switch (persistence) {
    case Persistence::silent:
        out += "\r\n";
        break;
    case Persistence::keep_alive:
        out += "Connection: keep-alive\r\n\r\n";
        break;
    case Persistence::close:
        out += "Connection: close\r\n\r\n";
        break;
    }
}

bool is_bodiless(unsigned status) noexcept
{
    return status < 200 || status == 204 || status == 304;
}

void append_chunk(std::string& out, std::string_view data)
{
    append_number(out, data.size(), 16);
    out += "\r\n";
    out += data;
    out += "\r\n";
}

} // namespace http_server
