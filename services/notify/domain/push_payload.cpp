#include "domain/push_payload.hpp"

#include "core/json_writer.hpp"
#include "crypto/hash.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

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

void write_data(core::JsonWriter& w, PushMessage const& message, std::string_view id)
{
    w.member(id_key(message), id);
    for (auto const& [key, value] : message.data)
        w.raw(member(key, value));
}

void write_texts(core::JsonWriter& w, PushMessage const& message)
{
    w.begin_object();
    if (!message.title.empty()) w.member("title", message.title);
    if (!message.body.empty()) w.member("body", message.body);
    w.end_object();
}

/// The size of the push as FCM counts it: names and values.
std::size_t fcm_size(PushMessage const& message)
{
    std::size_t size =
        message.title.size() + message.body.size() + id_key(message).size() + core::Uuid::text_size;
    for (auto const& [key, value] : message.data)
        size += key.size() + value.size();
    return size;
}

/// The header `Topic` of web push. RFC 8030, 5.4, permits at most 32 characters of base64url.
std::string topic_of(std::string id)
{
    std::erase(id, '-');
    return id;
}

/// An FCM message with an empty token. A repeated push replaces the earlier push in the carrier's queue
/// (`collapse_key`, `Topic`) and on the device's screen (`tag`).
std::string fcm_message(PushMessage const& message, std::string const& id)
{
    core::JsonWriter w;
    w.begin_object().key("message").begin_object().member("token", "");
    w.key("notification");
    write_texts(w, message);
    w.key("data").begin_object();
    write_data(w, message, id);
    w.end_object();
    w.key("android").begin_object().member("collapse_key", id).member("priority", "high");
    w.key("notification").begin_object().member("tag", id).end_object().end_object();
    w.key("webpush").begin_object();
    w.key("headers").begin_object().member("Topic", topic_of(id)).member("Urgency", "high").end_object();
    w.key("notification").begin_object().member("tag", id).end_object().end_object();
    w.end_object().end_object();
    return std::move(w).str();
}

std::string apns_payload(PushMessage const& message, std::string const& id)
{
    core::JsonWriter w;
    w.begin_object().key("aps").begin_object().key("alert");
    write_texts(w, message);
    w.member("sound", "default").end_object();
    write_data(w, message, id);
    w.end_object();
    return std::move(w).str();
}

} // namespace

RenderedPush render_push(PushMessage const& message)
{
    if (std::ranges::any_of(message.data, [](auto const& pair) { return is_reserved_data_key(pair.first); }))
        throw std::invalid_argument("the data of a push contains a reserved key");
    RenderedPush push;
    push.id = message.id;
    push.collapse_id = message.id.to_string();
    std::string const fcm = fcm_message(message, push.collapse_id);
    auto const place = fcm.find(token_place) + token_place.size();
    push.fcm_head = fcm.substr(0, place);
    push.fcm_tail = fcm.substr(place);
    push.apns_body = apns_payload(message, push.collapse_id);
    push.apns_expiration = std::to_string(core::unix_seconds(message.created_at + push_lifetime));
    push.traceparent = message.traceparent;
    push.scope = message.scope;
    push.fcm_fits = fcm_size(message) <= max_push_bytes;
    push.apns_fits = push.apns_body.size() <= max_push_bytes;
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
