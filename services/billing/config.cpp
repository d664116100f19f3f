#include "config.hpp"

#include "http_client/url.hpp"

#include <algorithm>

namespace billing {

namespace {

std::string read_url(
    core::Config& config, std::string_view name, std::string_view fallback, std::string_view help)
{
    auto url = config.text(name, fallback, help);
    if (!http_client::parse_url(url)) config.fault(name, "must be an http or https URL");
    return url;
}

bool is_header_name(std::string_view name)
{
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_';
    });
}

} // namespace

Config Config::read(core::Config& config)
{
    Config c;
    c.issuer = service::TokenIssuer::read(config);
    c.purchases_api_url = read_url(config, "PURCHASES_API_URL", "https://api.revenuecat.com",
        "base URL of the in-app purchase provider's REST API");
    c.payments_api_url = read_url(config, "PAYMENTS_API_URL", "https://api.stripe.com",
        "base URL of the card payment provider's REST API");
    c.payments_signature_header = config.text("PAYMENTS_SIGNATURE_HEADER", "Stripe-Signature",
        "name of the header with the card payment provider's signature");
    if (!is_header_name(c.payments_signature_header))
        config.fault("PAYMENTS_SIGNATURE_HEADER",
            "must be a header name that consists of letters, digits, '-' and '_'");
    c.archive_months = static_cast<unsigned>(config.integer("EVENT_ARCHIVE_MONTHS", c.archive_months, 1, 1200,
        "whole months that events are kept, after the month of receipt"));
    return c;
}

} // namespace billing
