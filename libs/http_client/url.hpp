#pragma once

#include "core/fields.hpp"
#include "http_client/address.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace http_client {

/// The parts of an absolute URL, as libcurl interprets the URL: numeric IPv4 hosts (`0x7f.1`) are converted
/// to dotted form.
struct Url {
    std::string scheme; ///< `http` or `https`
    std::string host;   ///< without brackets, lower case
    std::uint16_t port = 0;
    bool has_credentials = false;
};

/// Returns nullopt for text that is not an http or https URL with a host, and for a percent-encoded host.
std::optional<Url> parse_url(std::string const& url);

/// Checks a URL that a tenant has given as the target of requests. Records an error for the field `name` if
/// the URL is not allowed. The URL must use https (or http if private addresses are allowed), consist of
/// visible ASCII, have no credentials, and have a host that AddressPolicy::allows_host accepts.
void check_url(
    core::Fields& fields, std::string_view name, std::string const& url, AddressPolicy const& addresses);

} // namespace http_client
