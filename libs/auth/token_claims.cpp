#include "auth/token_claims.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>

namespace auth::token {

namespace {

constexpr double max_numeric_date = 253'402'300'799.0; // the end of the year 9999

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

std::optional<core::Time> time_claim(boost::json::object const& claims, std::string_view name)
{
    auto const* const value = claims.if_contains(name);
    if (value == nullptr || !value->is_number()) return std::nullopt;
    double const seconds = value->to_number<double>();
    if (!(seconds >= 0.0 && seconds <= max_numeric_date)) return std::nullopt;
    return core::Time(std::chrono::seconds(static_cast<std::int64_t>(std::floor(seconds))));
}

bool is_timely(boost::json::object const& claims, core::Time now)
{
    auto const expires = time_claim(claims, "exp");
    auto const issued = time_claim(claims, "iat");
    if (!expires || !issued || now >= *expires + skew || *issued > now + skew) return false;
    auto const from = time_claim(claims, "nbf");
    return !claims.contains("nbf") || (from && *from <= now + skew);
}

} // namespace auth::token
