#include "domain/common_passwords.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace auth_mfa {

/// The file domain/common_passwords.txt: one password per line, in lower case.
extern std::string_view const common_passwords_txt;

namespace {

std::unordered_set<std::string_view> lines_of(std::string_view text)
{
    std::unordered_set<std::string_view> lines;
    while (!text.empty()) {
        auto const line = text.substr(0, text.find('\n'));
        lines.insert(line);
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return lines;
}

} // namespace

bool is_common_password(std::string_view password)
{
    static std::unordered_set<std::string_view> const common = lines_of(common_passwords_txt);
    return common.contains(core::lower(password));
}

} // namespace auth_mfa
