#include "domain/push_payload.hpp"

#include "core/json_writer.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace notify {

namespace {

constexpr std::string_view notification_key = "notificationId";
constexpr std::string_view broadcast_key = "broadcastId";
constexpr std::string_view token_place = R"("token":")";

/// Returns `"name":"text"` for any name, because JsonWriter::member takes only names that need no escape.
std::string member(std::string_view name, std::string_view text)
{
    core::JsonWriter name_json, text_json;
    name_json.value(name);
    text_json.value(text);
    return std::move(name_json).str().append(":").append(text_json.str());
}

std::string_view id_key(PushMessage const& message)
{
    return message.broadcast ? broadcast_key : notification_key;
}

/// Options and texts by the names under which the app receives them as data.
using Added = std::vector<std::pair<std::string_view, std::string>>;

bool is_background(PushMessage const& message)
{
    return message.settings.background.value_or(false);
}

PushPriority priority_of(PushMessage const& message)
{
    return message.settings.priority.value_or(
        is_background(message) ? PushPriority::normal : PushPriority::high);
}

/// The values that the app receives as data, because a carrier has no field for them. The app's own values
/// of the same names take precedence.
Added added_data(PushMessage const& message)
{
    auto const& s = message.settings;
    Added added;
    auto const add = [&](std::string_view key, std::string value) {
        if (std::ranges::find(message.data, key, &PushData::value_type::first) == message.data.end())
            added.emplace_back(key, std::move(value));
    };
    if (s.image) add("image", *s.image);
    if (s.link) add("link", *s.link);
    if (!is_background(message)) return added;
    if (!message.title.empty()) add("title", std::string(message.title));
    if (!message.body.empty()) add("body", std::string(message.body));
    if (s.badge) add("badge", std::to_string(*s.badge));
    return added;
}

void write_own_data(core::JsonWriter& w, PushMessage const& message)
{
    for (auto const& [key, value] : message.data)
        w.raw(member(key, value));
}

void write_data(core::JsonWriter& w, PushMessage const& message, Added const& added)
{
    w.member(id_key(message), message.id);
    for (auto const& [key, value] : added)
        w.member(key, value);
    write_own_data(w, message);
}

void write_texts(core::JsonWriter& w, PushMessage const& message)
{
    w.begin_object();
    if (!message.title.empty()) w.member("title", message.title);
    if (!message.body.empty()) w.member("body", message.body);
    w.end_object();
}

template <class T>
void write_option(core::JsonWriter& w, std::string_view name, std::optional<T> const& option)
{
    if (option) w.member(name, *option);
}

/// The size of the push as FCM counts it: names and values.
std::size_t fcm_size(PushMessage const& message, Added const& added)
{
    std::size_t size =
        message.title.size() + message.body.size() + id_key(message).size() + core::Uuid::text_size;
    for (auto const& [key, value] : message.data)
        size += key.size() + value.size();
    for (auto const& [key, value] : added)
        size += key.size() + value.size();
    for (auto const* option :
        {&message.settings.image, &message.settings.sound, &message.settings.channel_id})
        size += *option ? (*option)->size() : 0;
    return size;
}

/// The header `Topic` of web push. RFC 8030, 5.4, permits at most 32 characters of base64url.
std::string topic_of(PushMessage const& message)
{
    if (auto const& key = message.settings.collapse_key) {
        auto const hash = crypto::sha256(*key);
        return crypto::base64url::encode(crypto::view(hash).substr(0, 24));
    }
    std::string id = message.id.to_string();
    std::erase(id, '-');
    return id;
}

void write_android(core::JsonWriter& w, PushMessage const& message, RenderedPush const& push)
{
    auto const& s = message.settings;
    w.key("android").begin_object();
    w.member("priority", to_string(priority_of(message)));
    // A later notification replaces the shown one by its `tag`. FCM stores messages of at most four collapse
    // keys for a device and drops others, so only messages without a notification have one.
    if (is_background(message)) write_option(w, "collapse_key", s.collapse_key);
    if (s.ttl_seconds) w.member("ttl", std::to_string(*s.ttl_seconds) + "s");
    if (!is_background(message)) {
        w.key("notification").begin_object().member("tag", push.collapse_id);
        write_option(w, "image", s.image);
        write_option(w, "sound", s.sound);
        write_option(w, "channel_id", s.channel_id);
        write_option(w, "notification_count", s.badge);
        w.end_object();
    }
    w.end_object();
}

void write_webpush(core::JsonWriter& w, PushMessage const& message, RenderedPush const& push)
{
    auto const& s = message.settings;
    w.key("webpush").begin_object();
    w.key("headers").begin_object().member("Topic", push.topic).member("Urgency", push.urgency);
    if (s.ttl_seconds) w.member("TTL", std::to_string(*s.ttl_seconds));
    w.end_object();
    if (!is_background(message)) {
        w.key("notification").begin_object().member("tag", push.collapse_id);
        write_option(w, "image", s.image);
        w.end_object();
        if (s.link && is_web_link(*s.link))
            w.key("fcm_options").begin_object().member("link", *s.link).end_object();
    }
    w.end_object();
}

/// An FCM message with an empty token. A repeated push replaces the earlier push on the device's screen
/// (`tag`) and, for browsers, in the carrier's queue (`Topic`).
std::string fcm_message(PushMessage const& message, RenderedPush const& push, Added const& added)
{
    core::JsonWriter w;
    w.begin_object().key("message").begin_object().member("token", "");
    if (!is_background(message)) {
        w.key("notification");
        write_texts(w, message);
    }
    w.key("data").begin_object();
    write_data(w, message, added);
    w.end_object();
    write_android(w, message, push);
    write_webpush(w, message, push);
    w.end_object().end_object();
    return std::move(w).str();
}

/// The `aps` of a background push has no other member than `content-available`
/// (https://developer.apple.com/documentation/usernotifications/pushing-background-updates-to-your-app).
void write_aps(core::JsonWriter& w, PushMessage const& message)
{
    auto const& s = message.settings;
    w.key("aps").begin_object();
    if (is_background(message)) {
        w.member("content-available", 1).end_object();
        return;
    }
    w.key("alert");
    write_texts(w, message);
    write_option(w, "badge", s.badge);
    w.member("sound", s.sound.value_or("default"));
    if (s.image) w.member("mutable-content", 1); // so that the app's extension can attach the image
    w.end_object();
}

std::string apns_payload(PushMessage const& message, Added const& added)
{
    core::JsonWriter w;
    w.begin_object();
    write_aps(w, message);
    write_data(w, message, added);
    w.end_object();
    return std::move(w).str();
}

/// The payload that a service worker reads from the event `push`.
std::string web_payload(PushMessage const& message, RenderedPush const& push)
{
    auto const& s = message.settings;
    core::JsonWriter w;
    w.begin_object()
        .member(id_key(message), message.id)
        .member("title", message.title)
        .member("body", message.body)
        .member("tag", push.collapse_id);
    write_option(w, "image", s.image);
    write_option(w, "link", s.link);
    write_option(w, "badge", s.badge);
    if (is_background(message)) w.member("background", true);
    w.key("data").begin_object();
    write_own_data(w, message);
    w.end_object().end_object();
    return std::move(w).str();
}

std::string expiration_of(PushMessage const& message)
{
    std::chrono::seconds const lifetime(message.settings.ttl_seconds.value_or(max_ttl_seconds));
    if (lifetime == lifetime.zero()) return "0";
    return std::to_string(core::unix_seconds(message.created_at + lifetime));
}

/// Sets the members that become header fields.
void set_headers(RenderedPush& push, PushMessage const& message)
{
    auto const& s = message.settings;
    bool const high = priority_of(message) == PushPriority::high;
    push.collapse_id = s.collapse_key.value_or(message.id.to_string());
    push.topic = topic_of(message);
    push.urgency = to_string(priority_of(message));
    push.ttl_seconds = s.ttl_seconds.value_or(max_ttl_seconds);
    push.apns_expiration = expiration_of(message);
    push.apns_push_type = is_background(message) ? "background" : "alert";
    push.apns_priority = high && !is_background(message) ? "10" : "5";
}

} // namespace

RenderedPush render_push(PushMessage const& message)
{
    if (std::ranges::any_of(message.data, [](auto const& pair) { return is_reserved_data_key(pair.first); }))
        throw std::invalid_argument("the data of a push contains a reserved key");
    RenderedPush push;
    push.id = message.id;
    set_headers(push, message);
    auto const added = added_data(message);
    std::string const fcm = fcm_message(message, push, added);
    auto const place = fcm.find(token_place) + token_place.size();
    push.fcm_head = fcm.substr(0, place);
    push.fcm_tail = fcm.substr(place);
    push.apns_body = apns_payload(message, added);
    push.web_payload = web_payload(message, push);
    push.traceparent = message.traceparent;
    push.scope = message.scope;
    push.fcm_fits = fcm_size(message, added) <= max_push_bytes;
    push.apns_fits = push.apns_body.size() <= max_push_bytes;
    push.web_fits = push.web_payload.size() <= max_web_push_bytes;
    return push;
}

bool is_reserved_data_key(std::string_view key) noexcept
{
    constexpr std::array words{std::string_view("from"), std::string_view("message_type"),
        std::string_view("collapse_key"), std::string_view("aps"), notification_key, broadcast_key};
    return key.starts_with("google") || key.starts_with("gcm") ||
           std::ranges::find(words, key) != words.end();
}

core::Uuid push_id(core::Uuid const& id, std::int64_t device_id)
{
    std::array<char, 24> name{};
    std::ranges::copy(id.bytes(), name.begin());
    for (std::size_t i = 0; i < 8; ++i)
        name[16 + i] = static_cast<char>(static_cast<std::uint64_t>(device_id) >> (56 - 8 * i));
    auto const digest = crypto::sha256({name.data(), name.size()});
    std::array<std::uint8_t, 16> bytes{};
    std::copy_n(digest.begin(), bytes.size(), bytes.begin());
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x80);
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
    return core::Uuid::from_bytes(bytes);
}

std::string_view json_escaped(std::string_view token, std::string& space)
{
    bool const plain = std::ranges::none_of(
        token, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; });
    if (plain) return token;
    core::JsonWriter w;
    w.value(token);
    space = std::move(w).str();
    return std::string_view(space).substr(1, space.size() - 2);
}

} // namespace notify
