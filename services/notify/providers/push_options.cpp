#include "providers/push_options.hpp"

#include "http_client/url.hpp"

namespace notify {

namespace {

std::string read_base(
    core::Config& config, std::string_view name, std::string_view fallback, std::string_view help)
{
    std::string url = config.text(name, fallback, help);
    while (url.ends_with('/'))
        url.pop_back();
    if (!url.empty() && !http_client::parse_url(url)) config.fault(name, "must be an http or https URL");
    return url;
}

} // namespace

PushOptions PushOptions::read(core::Config& config)
{
    PushOptions o;
    bool const to_file =
        config.one_of("PUSH_PROVIDER", {"live", "outbox"},
            "where pushes are sent: live (FCM and APNs), or outbox, which appends them to PUSH_OUTBOX") == 1;
    auto file = config.required("PUSH_OUTBOX", "file that pushes are appended to instead of being sent",
        {to_file, "PUSH_PROVIDER=outbox"});
    if (to_file) o.outbox = std::move(file);
    o.fcm_base_url = read_base(
        config, "FCM_BASE_URL", "https://fcm.googleapis.com", "base URL of Firebase Cloud Messaging");
    o.fcm_token_url = config.text(
        "FCM_TOKEN_URL", "https://oauth2.googleapis.com/token", "URL that issues access tokens for FCM");
    if (!http_client::parse_url(o.fcm_token_url))
        config.fault("FCM_TOKEN_URL", "must be an http or https URL");
    o.apns_base_url = read_base(config, "APNS_BASE_URL", "",
        "base URL of APNs; if empty, Apple's host for the credential's environment");
    return o;
}

} // namespace notify
