#include "domain/web_subscription.hpp"

#include "core/fields.hpp"
#include "core/hex.hpp"
#include "core/text.hpp"
#include "crypto/ecdh.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "http_client/url.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace notify {

namespace {

namespace json = boost::json;

constexpr std::uint16_t https_port = 443;
constexpr std::size_t max_key_text = 200;

bool is_host(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':';
    });
}

std::optional<std::uint16_t> parse_port(std::string_view text)
{
    std::uint16_t port = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    bool const valid = error == std::errc() && end == text.data() + text.size() && port > 0;
    return valid ? std::optional(port) : std::nullopt;
}

/// Reads a key in base64url. Browsers send it without padding.
std::string read_key(core::Fields& f, std::string_view name)
{
    std::string const text = f.text(name, 1, max_key_text);
    auto bytes = crypto::base64url::decode(text);
    if (!text.empty() && !bytes) f.fault(name, "format", "must be base64url without padding");
    return std::move(bytes).value_or("");
}

void read_keys(core::Fields& f, WebSubscription& subscription)
{
    subscription.p256dh = read_key(f, "p256dh");
    if (!subscription.p256dh.empty() && !crypto::is_p256_point(subscription.p256dh))
        f.fault("p256dh", "format", "must be an uncompressed point on P-256: 65 bytes, in base64url");
    subscription.auth = read_key(f, "auth");
    if (!subscription.auth.empty() && subscription.auth.size() != web_auth_size)
        f.fault("auth", "format", "must be 16 bytes, in base64url");
}

void check_endpoint(core::Fields& f, std::string const& endpoint, WebPushHosts const& hosts)
{
    if (endpoint.empty()) return;
    auto const origin = web_origin(endpoint);
    if (!origin)
        f.fault("endpoint", "format", "must be an absolute https URL without a user name");
    else if (!hosts.allows(origin->host, origin->port))
        f.fault("endpoint", "not_allowed",
            "must be on a host that the operator allows for Web Push (WEB_PUSH_HOSTS)");
}

std::string text_of(json::object const& object, std::string_view name)
{
    return std::string(object.at(name).as_string());
}

} // namespace

std::optional<WebPushHosts> WebPushHosts::parse(std::string_view text)
{
    WebPushHosts hosts;
    for (;;) {
        auto const comma = text.find(',');
        std::string item = core::lower(core::trim(text.substr(0, comma)));
        if (item.starts_with('.')) return std::nullopt;
        bool const is_wildcard = item.starts_with("*.");
        if (is_wildcard) item.erase(0, 2);
        Entry entry;
        // More than one colon: an IPv6 address, with a port only after brackets.
        auto const colon = item.rfind(':');
        bool const bracketed = item.starts_with('[');
        if (colon != std::string::npos && (bracketed ? item[colon - 1] == ']' : item.find(':') == colon)) {
            entry.port = parse_port(std::string_view(item).substr(colon + 1));
            if (!entry.port) return std::nullopt;
            item.erase(colon);
        }
        if (bracketed && item.ends_with(']')) item = item.substr(1, item.size() - 2);
        if (item.starts_with('.') || !is_host(item)) return std::nullopt;
        entry.host = (is_wildcard ? "." : "") + item;
        hosts.entries_.push_back(std::move(entry));
        if (comma == std::string_view::npos) return hosts;
        text.remove_prefix(comma + 1);
    }
}

// An entry without a port stands for the port of https only. Otherwise an app could register endpoints at
// many ports where nothing listens, and each would have a breaker of its own.
bool WebPushHosts::allows(std::string_view host, std::uint16_t port) const noexcept
{
    return std::ranges::any_of(entries_, [&](Entry const& entry) {
        bool const same = entry.host.starts_with('.')
                              ? host.size() > entry.host.size() && host.ends_with(entry.host)
                              : host == entry.host;
        return same && port == entry.port.value_or(https_port);
    });
}

core::Secret WebSubscription::to_secret() const
{
    return core::Secret(json::serialize(json::object{{"endpoint", endpoint},
        {"p256dh", crypto::base64url::encode(p256dh)}, {"auth", crypto::base64url::encode(auth)}}));
}

WebSubscription WebSubscription::restore(std::string_view secret, std::string vapid_key)
{
    try {
        json::value const value = json::parse(secret);
        auto const& object = value.as_object();
        return {.endpoint = text_of(object, "endpoint"),
            .p256dh = crypto::base64url::decode(text_of(object, "p256dh")).value(),
            .auth = crypto::base64url::decode(text_of(object, "auth")).value(),
            .vapid_key = std::move(vapid_key)};
    } catch (std::exception const&) {
        throw std::invalid_argument("not a stored web push subscription");
    }
}

WebSubscription read_web_subscription(core::Fields& fields, WebPushHosts const& hosts)
{
    WebSubscription subscription;
    auto const* const body = fields.optional_object("subscription");
    if (body == nullptr) {
        fields.fault("subscription", "required", "is required");
        return subscription;
    }
    core::Fields f(*body, "/subscription");
    subscription.endpoint = f.text("endpoint", 1, max_web_endpoint);
    check_endpoint(f, subscription.endpoint, hosts);
    if (auto const* const keys = f.optional_object("keys")) {
        core::Fields nested(*keys, "/subscription/keys");
        read_keys(nested, subscription);
        f.absorb(nested);
    } else {
        f.fault("keys", "required", "is required");
    }
    fields.absorb(f);
    return subscription;
}

std::string web_token(std::string_view endpoint)
{
    return core::hex::encode(crypto::view(crypto::sha256(endpoint)));
}

std::optional<WebOrigin> web_origin(std::string const& endpoint)
{
    if (!std::ranges::all_of(endpoint, [](char c) { return c > ' ' && c < '\x7f'; })) return std::nullopt;
    auto const url = http_client::parse_url(endpoint);
    if (!url || url->scheme != "https" || url->has_credentials) return std::nullopt;
    bool const is_v6 = url->host.find(':') != std::string::npos;
    std::string text = "https://" + (is_v6 ? '[' + url->host + ']' : url->host);
    if (url->port != https_port) text += ':' + std::to_string(url->port);
    return WebOrigin{url->host, url->port, std::move(text)};
}

} // namespace notify
