#include "providers/push_options.hpp"

#include "http_client/url.hpp"

#include <utility>

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

WebPushHosts read_web_push_hosts(core::Config& config)
{
    auto hosts = WebPushHosts::parse(config.text("WEB_PUSH_HOSTS", WebPushHosts::defaults,
        "hosts that endpoints of Web Push subscriptions may have, as host[:port],...; `*.domain` stands for "
        "all "
        "subdomains"));
    if (!hosts) config.fault("WEB_PUSH_HOSTS", "must be hosts: host[:port] or *.domain, separated by commas");
    return std::move(hosts).value_or(WebPushHosts());
}

} // namespace

PushOptions PushOptions::read(core::Config& config)
{
    PushOptions o;
    bool const to_file = config.one_of("PUSH_PROVIDER", {"live", "outbox"},
                             "where pushes are sent: live (FCM, APNs and Web Push), or outbox, which appends "
                             "them to PUSH_OUTBOX") == 1;
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
    o.max_connections = static_cast<unsigned>(config.integer(
        "PUSH_CONNECTIONS", 100, 1, 1'000, "maximum number of connections to a push carrier per credential"));
    o.fcm_quota = config.integer("FCM_QUOTA_PER_MINUTE", 600'000, 60, 100'000'000,
        "pushes per minute that FCM permits for one Firebase project, shared by all replicas");
    o.web_push_hosts = read_web_push_hosts(config);
    return o;
}

} // namespace notify
