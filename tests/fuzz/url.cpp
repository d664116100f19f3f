// The input is the address of a webhook or a key set. It is read as a URL, as an origin and as a host.
#include "http_client/url.hpp"

#include "core/fields.hpp"
#include "fuzz.hpp"
#include "tenancy/origins.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string>

using fuzz::require;

namespace {

bool accepts(std::string const& url, http_client::AddressPolicy const& policy)
{
    boost::json::value const body = boost::json::object();
    core::Fields fields(body);
    http_client::check_url(fields, "url", url, policy);
    return fields.ok();
}

/// A URL that a tenant may configure as a target of requests.
void check_public(std::string const& url)
{
    auto const parsed = http_client::parse_url(url);
    require(parsed && parsed->scheme == "https" && !parsed->has_credentials && parsed->port != 0);
    require(std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; }));
    require(!parsed->host.empty() && parsed->host != "localhost" && !parsed->host.ends_with(".localhost"));
    require(!http_client::is_address_literal(parsed->host) ||
            http_client::classify(parsed->host) == http_client::AddressRange::global);
    require(accepts(url, http_client::AddressPolicy(true)));
}

/// The parts of the parsed address form the same address again.
void check_parts(std::string const& url)
{
    auto const parsed = http_client::parse_url(url);
    if (!parsed) return;
    require(parsed->scheme == "http" || parsed->scheme == "https");
    bool const v6 = parsed->host.find(':') != std::string::npos;
    auto const again =
        http_client::parse_url(parsed->scheme + "://" + (v6 ? '[' + parsed->host + ']' : parsed->host) + ':' +
                               std::to_string(parsed->port) + "/");
    if (again) require(again->host == parsed->host && again->port == parsed->port && !again->has_credentials);
}

void check_origin(std::string_view text)
{
    auto const origin = tenancy::normalise_origin(text);
    if (!origin) return;
    require(tenancy::normalise_origin(*origin) == origin);
    require(origin->starts_with("https://") || origin->starts_with("http://"));
    require(
        std::ranges::all_of(*origin, [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '*'; }));
    require(std::ranges::count(*origin, '/') == 2);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string const text(reinterpret_cast<char const*>(data), size);
    if (accepts(text, http_client::AddressPolicy(false))) check_public(text);
    check_parts(text);
    check_origin(text);
    if (http_client::is_address_literal(text))
        require(http_client::AddressPolicy(false).allows_host(text) <=
                http_client::AddressPolicy(true).allows_host(text));
    return 0;
}
