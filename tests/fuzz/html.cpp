// The input is an HTML document of any bytes.
#include "fuzz.hpp"
#include "mail/plain_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>

using fuzz::is_text, fuzz::require;

namespace {

/// A bullet, a number or a border can stand for a tag of four bytes, and each line can have eight indents.
constexpr std::size_t max_growth = 64;

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string_view const html(reinterpret_cast<char const*>(data), size);
    auto const text = mail::plain_text(html);
    require(is_text(text) && text.size() <= max_growth * (size + 1));
    require(text.empty() || (text.ends_with('\n') && !text.starts_with('\n')));
    for (std::string_view const never : {"\r", " \n", "\n\n\n", "\u00A0", "\u200B", "\uFEFF"})
        require(text.find(never) == std::string::npos);
    return 0;
}
