#include "tenancy/origins.hpp"

#include "core/text.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <charconv>

namespace tenancy {

namespace urls = boost::urls;

namespace {

constexpr std::size_t max_host_length = 253;

/// `scheme://host[:port]`: 8 characters for `https://`, 6 for `:65535`.
constexpr std::size_t max_origin_length = 8 + max_host_length + 6;

bool is_digits(std::string_view text)
{
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

/// Returns a host name in lower case, or nullopt if it is not valid. A name whose last label is a number is
/// refused, because browsers read it as an IPv4 address.
std::optional<std::string> normalise_name(std::string_view text)
{
    std::string host = core::lower(text);
    if (host.empty() || host.size() > max_host_length) return std::nullopt;
    if (!std::all_of(host.begin(), host.end(), is_name_character)) return std::nullopt;
    if (host.front() == '.' || host.back() == '.' || host.find("..") != std::string::npos)
        return std::nullopt;
    std::string_view const last = std::string_view(host).substr(host.rfind('.') + 1);
    if (is_digits(last) || last.starts_with("0x")) return std::nullopt;
    return host;
}

std::optional<std::string> normalise_host(urls::url_view const& url)
{
    switch (url.host_type()) {
    case urls::host_type::name:
        return normalise_name(url.encoded_host());
    case urls::host_type::ipv4:
        return url.host_ipv4_address().to_string();
    case urls::host_type::ipv6:
        return "[" + url.host_ipv6_address().to_string() + "]";
    default:
        return std::nullopt;
    }
}

/// Returns the port with its colon, or "" for the scheme's default port. Returns nullopt if the port is not
/// valid.
std::optional<std::string> normalise_port(urls::url_view const& url)
{
    std::string_view const digits = url.port();
    if (digits.empty()) return std::string();
    unsigned port = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size() || port == 0 || port > 65535)
        return std::nullopt;
    bool const is_default = port == (url.scheme_id() == urls::scheme::https ? 443U : 80U);
    return is_default ? std::string() : ":" + std::to_string(port);
}

} // namespace

std::optional<std::string> normalise_origin(std::string_view text)
{
    auto const parsed = urls::parse_uri(text);
    if (!parsed) return std::nullopt;
    urls::url_view const& url = *parsed;
    bool const is_http = url.scheme_id() == urls::scheme::http || url.scheme_id() == urls::scheme::https;
    if (!is_http || !url.has_authority() || url.has_userinfo()) return std::nullopt;
    if (!url.encoded_path().empty() || url.has_query() || url.has_fragment()) return std::nullopt;
    auto const host = normalise_host(url);
    auto const port = normalise_port(url);
    if (!host || !port) return std::nullopt;
    return core::lower(url.scheme()) + "://" + *host + *port;
}

core::Change<std::vector<std::string>> change_origins(core::Fields& fields, std::string_view name)
{
    auto change = fields.change_list(name, max_origins, max_origin_length);
    if (!change.value) return change;
    std::vector<std::string> origins;
    for (std::size_t i = 0; i < change.value->size(); ++i) {
        auto origin = normalise_origin((*change.value)[i]);
        if (!origin)
            fields.fault_at(
                name, i, "format", "must be an origin such as https://app.example.com, without a path");
        else if (std::find(origins.begin(), origins.end(), *origin) == origins.end())
            origins.push_back(std::move(*origin));
    }
    change.value = std::move(origins);
    return change;
}

} // namespace tenancy
