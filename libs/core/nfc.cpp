#include "core/text.hpp"

#include <stdexcept>
#include <utf8proc.h>
#include <vector>

namespace core {

namespace {

constexpr auto form = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

/// `result` is a number of code points or bytes, or a negative error of utf8proc.
std::size_t checked(utf8proc_ssize_t result)
{
    if (result < 0) throw std::invalid_argument(utf8proc_errmsg(result));
    return static_cast<std::size_t>(result);
}

} // namespace

std::string nfc(std::string_view utf8)
{
    bool const is_ascii =
        std::ranges::all_of(utf8, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (is_ascii) return std::string(utf8);
    auto const* const bytes = reinterpret_cast<utf8proc_uint8_t const*>(utf8.data());
    auto const size = static_cast<utf8proc_ssize_t>(utf8.size());
    auto const count = checked(utf8proc_decompose(bytes, size, nullptr, 0, form));
    std::vector<utf8proc_int32_t> points(count + 1); // utf8proc_reencode appends a NUL
    checked(utf8proc_decompose(bytes, size, points.data(), static_cast<utf8proc_ssize_t>(count), form));
    auto const length = checked(utf8proc_reencode(points.data(), static_cast<utf8proc_ssize_t>(count), form));
    return {reinterpret_cast<char const*>(points.data()), length};
}

} // namespace core
