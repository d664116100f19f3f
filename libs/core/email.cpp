#include "core/fields.hpp"

#include <regex>

namespace core {

bool is_email(std::string_view text)
{
    // The regular expression of the HTML standard ("valid e-mail address"). The maximum length is that of a
    // path in RFC 5321.
    static std::regex const pattern(
        R"([a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)"
        R"((\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*)",
        std::regex::optimize);
    return text.size() <= 254 && std::regex_match(text.begin(), text.end(), pattern);
}

Change<std::string> Fields::change_email(std::string_view name)
{
    auto change = change_text(name, 1, 254);
    if (!change.value || is_email(*change.value)) return change;
    fault(name, "format", "must be an email address");
    return {};
}

} // namespace core
