#include "mail/smtp_url.hpp"

#include "core/text.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <string_view>

namespace mail {

namespace {

constexpr std::uint16_t smtp_port = 25, smtps_port = 465; // RFC 5321, RFC 8314
constexpr std::size_t max_client_name = 255;

/// Decodes a user or password. A NUL would end the value within AUTH PLAIN (RFC 4616).
std::optional<core::Secret> decode(std::string_view text)
{
    auto decoded = core::percent_decode(text, false);
    if (!decoded || decoded->find('\0') != std::string::npos) return std::nullopt;
    return core::Secret(*std::move(decoded));
}

std::optional<AuthMechanism> mechanism_of(std::string_view option)
{
    constexpr std::string_view name = "AUTH=";
    if (!core::equal_ignoring_case(option.substr(0, name.size()), name)) return std::nullopt;
    std::string const value = core::upper(option.substr(name.size()));
    if (value == "*") return AuthMechanism::any;
    if (value == "PLAIN") return AuthMechanism::plain;
    if (value == "LOGIN") return AuthMechanism::login;
    return std::nullopt;
}

/// Reads `user:password;AUTH=mechanism`. All parts are optional.
bool read_login(std::string_view text, SmtpUrl& out)
{
    out.has_login = !text.empty();
    auto const options = text.find(';');
    if (options != std::string_view::npos) {
        auto const mechanism = mechanism_of(text.substr(options + 1));
        if (!mechanism) return false;
        out.mechanism = *mechanism;
        text = text.substr(0, options);
    }
    auto const colon = text.find(':');
    auto user = decode(text.substr(0, colon));
    auto password = decode(colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1));
    if (!user || !password) return false;
    out.user = *std::move(user);
    out.password = *std::move(password);
    return true;
}

/// A domain or an address literal (RFC 5321, 4.1.3).
bool is_client_name(std::string_view name)
{
    return name.size() <= max_client_name && std::ranges::all_of(name, [](char c) {
        bool const alphanumeric = (c >= '0' && c <= '9') || (core::lower(c) >= 'a' && core::lower(c) <= 'z');
        return alphanumeric || std::string_view("-._:[]").find(c) != std::string_view::npos;
    });
}

} // namespace

std::optional<SmtpUrl> parse_smtp_url(std::string const& url)
{
    auto const mark = url.find("://");
    if (mark == std::string::npos) return std::nullopt;
    std::string const scheme = core::lower(url.substr(0, mark));
    if (scheme != "smtp" && scheme != "smtps") return std::nullopt;
    std::string_view const rest = std::string_view(url).substr(mark + 3);
    std::string_view const authority = rest.substr(0, rest.find_first_of("/?#"));
    auto const at = authority.rfind('@');
    SmtpUrl out{.tls = scheme == "smtps"};
    if (at != std::string_view::npos && !read_login(authority.substr(0, at), out)) return std::nullopt;

    // The login was removed, because this parser refuses characters that are common in passwords.
    std::string const without_login = scheme + "://" + std::string(rest.substr(at + 1)); // npos + 1 is 0
    auto const parsed = boost::urls::parse_uri(without_login);
    if (!parsed || parsed->has_query() || parsed->has_fragment()) return std::nullopt;
    out.host = parsed->host_type() == boost::urls::host_type::name ? parsed->host() : parsed->host_address();
    out.port = parsed->has_port() ? parsed->port_number() : out.tls ? smtps_port : smtp_port;
    out.client_name = parsed->path().substr(parsed->path().empty() ? 0 : 1);
    bool const is_host = !out.host.empty() && std::ranges::all_of(out.host, [](char c) { return c > ' '; });
    return is_host && out.port != 0 && is_client_name(out.client_name) ? std::optional(std::move(out))
                                                                       : std::nullopt;
}

} // namespace mail
