#include "console/settings.hpp"

#include "core/text.hpp"
#include "http_client/url.hpp"

#include <algorithm>
#include <string_view>

namespace console {

namespace {

std::optional<auth::TenantUrlPattern> read_url(core::Config& config, char const* name, char const* service)
{
    auto const text = config.text(name, "",
        std::string("URL of the tenants' hosts at ") + service + ": https://{tenant}." + service +
            ".example.com; if it is empty, the console has no pages of this service");
    if (text.empty()) return std::nullopt;
    auto url = auth::TenantUrlPattern::parse(text);
    if (url && url->is_origin()) return url;
    config.fault(name,
        "must be an http or https URL without a path whose host begins with `{tenant}.`, in lower case");
    return std::nullopt;
}

/// Whether the text is `https://host[:port]` or `http://host[:port]`, in lower case.
bool is_origin(std::string_view text)
{
    constexpr std::string_view in_hosts = "abcdefghijklmnopqrstuvwxyz0123456789.-:";
    auto const host = text.substr(std::min(text.find("://") + 3, text.size()));
    return http_client::parse_url(std::string(text)) && !host.empty() &&
           host.find_first_not_of(in_hosts) == std::string_view::npos;
}

std::vector<std::string> read_origins(core::Config& config)
{
    constexpr char const* name = "CONSOLE_UPLOAD_ORIGINS";
    auto const text = config.text(name, "",
        "origins of the attachment stores, separated by commas, if feedback or notify has BLOB_STORE=s3: "
        "https://attachments.s3.eu-central-1.amazonaws.com");
    std::vector<std::string> origins;
    std::string_view rest = text;
    while (!rest.empty()) {
        auto const item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(item.size() + 1, rest.size()));
        auto const origin = core::trim(item);
        if (origin.empty()) continue;
        if (!is_origin(origin))
            config.fault(name, "must be a list of http or https URLs without paths, in lower case");
        origins.emplace_back(origin);
    }
    return origins;
}

} // namespace

Settings Settings::read(core::Config& config)
{
    Settings settings;
    settings.feedback = read_url(config, "CONSOLE_FEEDBACK_URL", "feedback");
    settings.notify = read_url(config, "CONSOLE_NOTIFY_URL", "notify");
    settings.billing = read_url(config, "CONSOLE_BILLING_URL", "billing");
    settings.uploads = read_origins(config);
    return settings;
}

} // namespace console
