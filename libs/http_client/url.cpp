#include "http_client/url.hpp"

#include "core/text.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <memory>

namespace http_client {

namespace {

struct FreeUrl {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::optional<std::string> part(CURLU* url, CURLUPart which, unsigned flags = 0)
{
    char* text = nullptr;
    if (curl_url_get(url, which, &text, flags) != CURLUE_OK) return std::nullopt;
    std::string out(text);
    curl_free(text);
    return out;
}

/// Whether the host in `rest`, the text after `://`, contains percent-encoding. In brackets, `%` begins a
/// zone and is allowed.
bool is_host_encoded(std::string_view rest)
{
    std::string_view const authority = rest.substr(0, rest.find_first_of("/?#"));
    std::string_view const host = authority.substr(authority.rfind('@') + 1); // npos + 1 is 0
    return !host.starts_with('[') && host.find('%') != std::string_view::npos;
}

} // namespace

std::optional<Url> parse_url(std::string const& url)
{
    if (url.find_first_of(std::string_view(" \0", 2)) != std::string::npos) return std::nullopt;
    // libcurl also accepts `https:/host` and `https:///host`, which other software interprets differently.
    auto const mark = url.find(':');
    if (mark == std::string::npos || url.substr(mark, 3) != "://" || url.substr(mark + 3, 1) == "/")
        return std::nullopt;
    // libcurl converts numeric hosts before it decodes percent-encoding. So `%32130706433` (2130706433, which
    // is 127.0.0.1) would pass as a name.
    if (is_host_encoded(std::string_view(url).substr(mark + 3))) return std::nullopt;
    std::unique_ptr<CURLU, FreeUrl> const parsed(curl_url());
    if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
        return std::nullopt;
    auto const scheme = part(parsed.get(), CURLUPART_SCHEME);
    auto const host = part(parsed.get(), CURLUPART_HOST);
    auto const port = part(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
    if (!scheme || !host || !port || host->empty() || (*scheme != "http" && *scheme != "https"))
        return std::nullopt;
    auto const number = std::stoul(*port);
    if (number == 0) return std::nullopt;
    Url out{.scheme = *scheme, .host = core::lower(*host), .port = static_cast<std::uint16_t>(number)};
    if (out.host.starts_with('[')) out.host = out.host.substr(1, out.host.size() - 2);
    out.has_credentials = part(parsed.get(), CURLUPART_USER) || part(parsed.get(), CURLUPART_PASSWORD);
    return out;
}

void check_url(
    core::Fields& fields, std::string_view name, std::string const& url, AddressPolicy const& addresses)
{
    bool const visible_ascii = std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; });
    auto const parsed = visible_ascii ? parse_url(url) : std::nullopt;
    if (!parsed) {
        fields.fault(name, "format", "must be an absolute https URL");
    } else if (parsed->has_credentials) {
        fields.fault(name, "not_allowed", "must not contain a user name or password");
    } else if (parsed->scheme != "https" && !addresses.allow_private()) {
        fields.fault(name, "not_allowed", "must use https");
    } else if (!addresses.allows_host(parsed->host)) {
        fields.fault(name, "not_allowed", "must have a host on the public internet");
    }
}

} // namespace http_client
