#include "domain/oauth_scope.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

/// Removes the next scope from `text` and returns it; empty at the end.
std::string_view take(std::string_view& text) noexcept
{
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    auto const name = text.substr(0, text.find(' '));
    text.remove_prefix(name.size());
    return name;
}

} // namespace

bool has_scope(std::string_view scope, std::string_view name) noexcept
{
    for (auto next = take(scope); !next.empty(); next = take(scope))
        if (next == name) return true;
    return false;
}

std::string granted_scope(std::string_view requested, bool may_refresh)
{
    std::string granted;
    for (auto const name : known_scopes) {
        if (!has_scope(requested, name) || (name == "offline_access" && !may_refresh)) continue;
        if (!granted.empty()) granted += ' ';
        granted += name;
    }
    return granted;
}

bool is_part_of(std::string_view part, std::string_view whole) noexcept
{
    for (auto next = take(part); !next.empty(); next = take(part))
        if (!has_scope(whole, next)) return false;
    return true;
}

} // namespace auth_mfa
