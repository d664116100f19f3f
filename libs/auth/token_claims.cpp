#include "auth/token_claims.hpp"

#include "core/text.hpp"

#include <algorithm>

namespace auth::token {

namespace {

bool is_port(std::string_view text) noexcept
{
    return !text.empty() && text.size() <= 5 &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Removes `prefix` from the front of `text`. Returns false if `text` does not begin with it.
bool skip(std::string_view& text, std::string_view prefix) noexcept
{
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

} // namespace

std::string authority(std::string_view issuer_host, std::string_view slug, core::Environment env)
{
    std::string text(slug);
    if (env == core::Environment::sandbox) text += "-sandbox";
    text += '.';
    text += issuer_host;
    return text;
}

bool is_local(std::string_view host) noexcept
{
    constexpr std::string_view local = "localhost";
    host = host.substr(0, host.find(':'));
    if (host.ends_with('.')) host.remove_suffix(1);
    if (host.size() < local.size()) return false;
    std::string_view const above = host.substr(0, host.size() - local.size());
    return core::equal_ignoring_case(host.substr(above.size()), local) &&
           (above.empty() || above.ends_with('.'));
}

std::string issuer(std::string_view issuer_host, std::string_view slug, core::Environment env)
{
    return "https://" + authority(issuer_host, slug, env);
}

bool is_issuer(
    std::string_view iss, std::string_view issuer_host, std::string_view slug, core::Environment env) noexcept
{
    bool const local = is_local(issuer_host);
    if (!skip(iss, "https://") && !(local && skip(iss, "http://"))) return false;
    if (!skip(iss, slug)) return false;
    if (env == core::Environment::sandbox && !skip(iss, "-sandbox")) return false;
    if (!skip(iss, ".") || !skip(iss, issuer_host)) return false;
    return iss.empty() || (local && skip(iss, ":") && is_port(iss));
}

} // namespace auth::token
