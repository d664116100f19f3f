#include "domain/redirect_uri.hpp"

#include "auth/token_claims.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace auth_mfa {

namespace {

constexpr std::string_view lower_case = "abcdefghijklmnopqrstuvwxyz", digits = "0123456789";

bool is_hex_digit(char c) noexcept
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Whether the text has only characters that a URI may have (RFC 3986, 2), and each `%` begins an escape.
bool has_uri_characters(std::string_view uri) noexcept
{
    constexpr std::string_view excluded = R"("<>\^`{|})";
    for (std::size_t i = 0; i < uri.size(); ++i) {
        char const c = uri[i];
        if (c <= ' ' || c > '~' || excluded.find(c) != std::string_view::npos) return false;
        bool const is_escape = c == '%';
        if (is_escape && (i + 2 >= uri.size() || !is_hex_digit(uri[i + 1]) || !is_hex_digit(uri[i + 2])))
            return false;
    }
    return true;
}

/// A URI split before and after its port.
struct Split {
    std::string_view host; ///< IPv6 addresses in brackets
    std::string_view port; ///< without the colon; empty if there is none
    std::string_view rest; ///< path and query
    bool valid = false;    ///< whether the authority is a host and a port
};

bool is_port(std::string_view port) noexcept
{
    return !port.empty() && port.size() <= 5 && port.find_first_not_of(digits) == std::string_view::npos;
}

bool is_host(std::string_view host) noexcept
{
    if (host.starts_with('['))
        return host.size() > 2 && host.ends_with(']') &&
               host.substr(1, host.size() - 2).find_first_not_of("0123456789abcdefABCDEF:.") ==
                   std::string_view::npos;
    return !host.empty() && std::ranges::all_of(host, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '.';
    });
}

/// Splits the text after `https://` or `http://`.
Split split(std::string_view text) noexcept
{
    Split parts;
    auto const authority = text.substr(0, text.find_first_of("/?#"));
    parts.rest = text.substr(authority.size());
    auto const bracket = authority.starts_with('[') ? authority.find(']') : std::string_view::npos;
    auto const colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    parts.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) parts.port = authority.substr(colon + 1);
    parts.valid = is_host(parts.host) && (colon == std::string_view::npos || is_port(parts.port));
    return parts;
}

bool is_loopback(std::string_view host) noexcept
{
    static constexpr std::array<std::string_view, 3> hosts{"127.0.0.1", "[::1]", "localhost"};
    return std::ranges::find(hosts, host) != hosts.end();
}

constexpr std::string_view plain = "http://", secure = "https://";

std::optional<RedirectUriFault> web_fault(std::string_view uri)
{
    bool const is_secure = uri.starts_with(secure);
    auto const parts = split(uri.substr((is_secure ? secure : plain).size()));
    if (!parts.valid)
        return RedirectUriFault{
            "host", "must have a host name, without a user name, a password or a wildcard"};
    if (!is_secure && !is_loopback(parts.host))
        return RedirectUriFault{
            "scheme", "must use https; http is allowed only for 127.0.0.1, [::1] and localhost"};
    return std::nullopt;
}

std::optional<RedirectUriFault> private_scheme_fault(std::string_view uri, ClientType type)
{
    auto const scheme = uri.substr(0, uri.find(':'));
    bool const is_scheme =
        scheme.size() < uri.size() && scheme.find_first_of(lower_case) == 0 &&
        scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.") == std::string_view::npos;
    if (!is_scheme)
        return RedirectUriFault{"format",
            "must be an absolute URI whose scheme is in lower case, such as https://example.com/cb"};
    bool const is_private = scheme.find('.') != std::string_view::npos;
    if (!is_private || type != ClientType::is_public)
        return RedirectUriFault{"scheme",
            "must use https, http at a loopback address, or, for public clients, a private-use scheme with a "
            "dot, such as com.example.app:/callback"};
    if (scheme.size() + 1 == uri.size())
        return RedirectUriFault{"format", "must have a path after the scheme"};
    return std::nullopt;
}

/// Whether `uri` is `registered` with another port, and `registered` may have any.
bool differs_in_port_only(std::string_view registered, std::string_view uri, bool is_built_in)
{
    if (!registered.starts_with(plain) || !uri.starts_with(plain)) return false;
    auto const a = split(registered.substr(plain.size()));
    auto const b = split(uri.substr(plain.size()));
    bool const free = is_loopback(a.host) || (is_built_in && auth::token::is_local(a.host));
    return free && a.valid && b.valid && a.host == b.host && a.rest == b.rest;
}

bool is_listed(Client const& client, std::vector<std::string> const& registered, std::string_view uri)
{
    if (std::ranges::find(registered, uri) != registered.end()) return true;
    if (client.is_confidential()) return false;
    bool const is_built_in = is_built_in_client(client.id);
    return std::ranges::any_of(
        registered, [&](std::string const& one) { return differs_in_port_only(one, uri, is_built_in); });
}

} // namespace

std::optional<RedirectUriFault> redirect_uri_fault(std::string const& uri, ClientType type)
{
    if (uri.size() > max_redirect_uri || !has_uri_characters(uri))
        return RedirectUriFault{
            "format", "must be a URI of at most 2000 visible ASCII characters; percent-encode all others"};
    if (uri.find('#') != std::string::npos) return RedirectUriFault{"fragment", "must have no fragment (#)"};
    if (uri.starts_with(secure) || uri.starts_with(plain)) return web_fault(uri);
    return private_scheme_fault(uri, type);
}

bool redirect_uri_matches(Client const& client, std::string_view uri)
{
    return is_listed(client, client.redirect_uris, uri);
}

bool post_logout_redirect_uri_matches(Client const& client, std::string_view uri)
{
    return is_listed(client, client.post_logout_redirect_uris, uri);
}

} // namespace auth_mfa
