#include "domain/oauth_errors.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

constexpr std::size_t max_description = 500;

/// Whether the code is one of OAuth. All other codes of core are in capitals.
bool is_of_oauth(std::string_view name) noexcept
{
    return !name.empty() && name.front() >= 'a' && name.front() <= 'z';
}

} // namespace

std::string_view oauth_code(core::Error const& error) noexcept
{
    auto const code = error.code();
    if (is_of_oauth(code.name)) return code.name;
    switch (code.status) {
    case 401:
        return "invalid_token";
    case 403:
        return "access_denied";
    case 429:
    case 503:
        return "temporarily_unavailable";
    default:
        return code.status >= 500 ? "server_error" : "invalid_request";
    }
}

std::string oauth_description(core::Error const& error)
{
    std::string text = error.detail();
    if (!error.faults().empty()) {
        auto const& fault = error.faults().front();
        std::string_view name = fault.pointer;
        name.remove_prefix(std::min(name.find_first_not_of("/?:"), name.size()));
        text = std::string(name) + ": " + fault.detail;
    }
    std::string description;
    for (char const c : text) {
        if (description.size() == max_description) break;
        bool const allowed = c >= ' ' && c <= '~' && c != '\\';
        if (c == '"' || c == '`')
            description += '\'';
        else if (allowed)
            description += c;
    }
    return description;
}

} // namespace auth_mfa
