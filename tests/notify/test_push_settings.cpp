#include "domain/push_payload.hpp"
#include "domain/push_settings.hpp"
#include "support/json.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace notify;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

core::Uuid const id = core::Uuid::parse("018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f").value();
core::Time const created = core::parse_rfc3339("2026-01-01T00:00:00.250Z").value();

/// The faults of `push` in a body, one a line: `pointer code`.
std::string faults_of(json::value const& push)
{
    json::value const body{{"push", push}};
    core::Fields f(body);
    parse_push_settings(f);
    std::string faults;
    for (auto const& fault : f.faults())
        faults += (faults.empty() ? "" : "\n") + fault.pointer + ' ' + fault.code;
    return faults;
}

PushSettings settings(std::string const& push)
{
    json::value const body{{"push", json::parse(push)}};
    core::Fields f(body);
    auto const parsed = parse_push_settings(f);
    REQUIRE(f.ok());
    return parsed.value();
}

RenderedPush rendered(
    std::string const& push, std::vector<std::pair<std::string, std::string>> const& data = {})
{
    return render_push({.id = id,
        .title = "Title",
        .body = "Body",
        .data = data,
        .created_at = created,
        .settings = settings(push)});
}

json::value fcm(RenderedPush const& push)
{
    return json::parse(push.fcm_head + "t" + push.fcm_tail).at("message");
}

json::value apns(RenderedPush const& push)
{
    return json::parse(push.apns_body);
}

json::value web(RenderedPush const& push)
{
    return json::parse(push.web_payload);
}

/// Every option.
constexpr char const* everything = R"({"ttlSeconds": 3600, "priority": "normal", "collapseKey": "order-7",
    "image": "https://example.com/7.png", "link": "https://example.com/orders/7", "badge": 3, "sound": "bell.caf",
    "channelId": "orders", "background": false})";

} // namespace

TEST_CASE("all faults of push options are reported at once", "[push]")
{
    CHECK(faults_of("x") == "/push type");
    CHECK(faults_of(json::array()) == "/push type");
    CHECK(faults_of(json::object{{"ttlSeconds", -1}, {"priority", "low"}, {"collapseKey", ""},
              {"image", "http://example.com/a.png"}, {"link", "orders/7"}, {"badge", 2147483648},
              {"sound", 7}, {"channelId", std::string(201, 'x')}, {"background", "yes"}}) ==
          "/push/ttlSeconds range\n/push/priority not_allowed\n/push/collapseKey too_short\n"
          "/push/image format\n/push/link format\n/push/badge range\n/push/sound type\n"
          "/push/channelId too_long\n/push/background type");
    CHECK(faults_of(json::object{{"ttlSeconds", 2'419'201}, {"badge", -1}}) ==
          "/push/ttlSeconds range\n/push/badge range");
    CHECK(faults_of(json::object{{"ttlSeconds", 2'419'200}, {"badge", 2147483647}}).empty());
    CHECK(faults_of(json::object{{"ttlSeconds", 0}, {"badge", 0}, {"unknown", 1}}).empty());
}

TEST_CASE("a collapse key has at most 64 visible ASCII characters", "[push]")
{
    CHECK(faults_of(json::object{{"collapseKey", std::string(64, '~')}}).empty());
    CHECK(faults_of(json::object{{"collapseKey", std::string(65, 'x')}}) == "/push/collapseKey too_long");
    for (auto const* key : {"a b", "a\tb", "ü", "a\x7f"}) {
        INFO(key);
        CHECK(faults_of(json::object{{"collapseKey", key}}) == "/push/collapseKey format");
    }
}

TEST_CASE("a link is an absolute URI that runs no code and reads no local file", "[push]")
{
    for (auto const* link : {"https://example.com", "HTTPS://example.com/a?b=c#d", "http://example.com/",
             "myapp://orders/7", "myapp:orders", "com.example.app:/orders/7", "mailto:ada@example.com"}) {
        INFO(link);
        CHECK(faults_of(json::object{{"link", link}}).empty());
    }
    for (auto const* link : {"", "orders", "/orders", "//example.com", "https://", "https:///x", "https:x",
             "myapp:", "1app://x", "https://exa mple.com", "https://example.com/ü", "java\nscript:alert(1)",
             " javascript:alert(1)"}) {
        INFO(link);
        CHECK(faults_of(json::object{{"link", link}}).starts_with("/push/link "));
    }
    for (auto const* link : {"javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x",
             "file:///etc/passwd"}) {
        INFO(link);
        CHECK(faults_of(json::object{{"link", link}}) == "/push/link not_allowed");
    }
    std::string const longest = "https://example.com/" + std::string(2'028, 'x');
    for (auto const* name : {"link", "image"}) {
        CHECK(faults_of(json::object{{name, longest}}).empty());
        CHECK(faults_of(json::object{{name, longest + "x"}}) == "/push/" + std::string(name) + " too_long");
    }
}

TEST_CASE("an image is an https URL", "[push]")
{
    CHECK(faults_of(json::object{{"image", "https://example.com/a.png"}}).empty());
    for (auto const* image :
        {"", "http://example.com/a.png", "myapp://a.png", "data:image/png;base64,x", "https://", "a.png"}) {
        INFO(image);
        CHECK(faults_of(json::object{{"image", image}}).starts_with("/push/image "));
    }
}

TEST_CASE("push options keep their JSON form when they are stored", "[push]")
{
    auto const all = settings(everything);
    CHECK(json::parse(to_json(all)) == json::parse(everything));
    CHECK(push_settings_of(to_stored(all)) == all);
    CHECK_FALSE(to_stored(PushSettings()));
    CHECK(push_settings_of(std::nullopt).empty());
    CHECK(settings("{}").empty());
    CHECK(settings(R"({"sound": null, "badge": null})").empty()); // null is the same as absent
    CHECK_FALSE(settings(R"({"background": false})").empty());
}

TEST_CASE("the options of a send win over the template's, option by option", "[push]")
{
    auto const all = settings(everything);
    CHECK(merge(all, PushSettings()) == all);
    CHECK(merge(PushSettings(), all) == all);
    auto const other = settings(R"({"ttlSeconds": 0, "priority": "high", "collapseKey": "k",
        "image": "https://example.com/b", "link": "app:b", "badge": 0, "sound": "s", "channelId": "c",
        "background": true})");
    CHECK(merge(all, other) == other);
    auto const mixed = merge(all, settings(R"({"badge": 0, "sound": "default"})"));
    CHECK(mixed.badge == 0);
    CHECK(mixed.sound == "default");
    CHECK(mixed.channel_id == "orders");
    CHECK(mixed.ttl_seconds == 3600);
}

TEST_CASE("push options are rendered in the forms that FCM, APNs and Web Push document", "[push]")
{
    auto const push = rendered(everything, {{"order", "7"}});
    CHECK(fcm(push) == json::parse(R"({
        "token": "t",
        "notification": {"title": "Title", "body": "Body"},
        "data": {"notificationId": "018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f", "order": "7",
                 "image": "https://example.com/7.png", "link": "https://example.com/orders/7"},
        "android": {"priority": "normal", "ttl": "3600s",
                    "notification": {"tag": "order-7", "image": "https://example.com/7.png",
                                     "sound": "bell.caf", "channel_id": "orders", "notification_count": 3}},
        "webpush": {"headers": {"Topic": "34z4AifsMjeSLfDs2IOFxUbkoxvbgSew", "Urgency": "normal", "TTL": "3600"},
                    "notification": {"tag": "order-7", "image": "https://example.com/7.png"},
                    "fcm_options": {"link": "https://example.com/orders/7"}}})"));
    CHECK(apns(push) == json::parse(R"({
        "aps": {"alert": {"title": "Title", "body": "Body"}, "badge": 3, "sound": "bell.caf", "mutable-content": 1},
        "notificationId": "018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f", "order": "7",
        "image": "https://example.com/7.png", "link": "https://example.com/orders/7"})"));
    CHECK(web(push) == json::parse(R"({
        "notificationId": "018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f", "title": "Title", "body": "Body",
        "tag": "order-7", "image": "https://example.com/7.png", "link": "https://example.com/orders/7",
        "badge": 3, "data": {"order": "7"}})"));
    CHECK(push.collapse_id == "order-7");
    CHECK(push.apns_expiration == "1767229200"); // 2026-01-01T01:00:00Z
    CHECK(push.apns_priority == "5");
    CHECK(push.apns_push_type == "alert");
    CHECK(push.ttl_seconds == 3600);
    CHECK(push.urgency == "normal");
}

TEST_CASE("without options a push has the default headers", "[push]")
{
    auto const push = rendered("{}");
    CHECK(push.apns_priority == "10");
    CHECK(push.apns_push_type == "alert");
    CHECK(push.ttl_seconds == 2'419'200);
    CHECK(push.urgency == "high");
    CHECK(push.topic == "018f6f6e7b1a7c3e9d2a6b1f0c2d3e4f");
    CHECK(web(push) == json::parse(R"({"notificationId": "018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f",
        "title": "Title", "body": "Body", "tag": "018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f", "data": {}})"));
    CHECK(testing::text(apns(push).at("aps"), "sound") == "default");
}

TEST_CASE("a background push shows nothing, and its texts are data", "[push]")
{
    auto const push = rendered(R"({"background": true, "badge": 3, "sound": "bell.caf", "channelId": "orders",
        "image": "https://example.com/7.png", "link": "https://example.com/orders/7"})");
    auto const message = fcm(push);
    CHECK_FALSE(message.as_object().contains("notification"));
    json::object data{{"notificationId", id.to_string()}, {"title", "Title"}, {"body", "Body"},
        {"badge", "3"}, {"image", "https://example.com/7.png"}, {"link", "https://example.com/orders/7"}};
    CHECK(message.at("data") == data);
    CHECK(message.at("android") == json::parse(R"({"priority": "normal"})"));
    CHECK(message.at("webpush") == json::parse(R"({
        "headers": {"Topic": "018f6f6e7b1a7c3e9d2a6b1f0c2d3e4f", "Urgency": "normal"}})"));
    data["aps"] = json::object{{"content-available", 1}};
    CHECK(apns(push) == data);
    CHECK(push.apns_push_type == "background");
    CHECK(push.apns_priority == "5");
    CHECK(web(push).at("background") == true);

    auto const urgent = rendered(R"({"background": true, "priority": "high"})");
    CHECK(urgent.apns_priority == "5"); // APNs refuses 10 for a background push
    CHECK(urgent.urgency == "high");
    CHECK(testing::text(fcm(urgent).at("android"), "priority") == "high");
}

TEST_CASE("a value of the app's own data wins over an option of the same name", "[push]")
{
    auto const push = rendered(R"({"background": true, "link": "https://example.com/orders/7", "badge": 3})",
        {{"link", "mine"}, {"title", "own"}, {"badge", "none"}});
    json::object const data{{"notificationId", id.to_string()}, {"body", "Body"}, {"link", "mine"},
        {"title", "own"}, {"badge", "none"}};
    CHECK(fcm(push).at("data") == data);
    auto payload = apns(push).as_object();
    payload.erase("aps");
    CHECK(payload == data);
    CHECK(testing::text(web(push), "link") == "https://example.com/orders/7");
    CHECK(testing::text(web(push).at("data"), "link") == "mine");
}

TEST_CASE("a link that only an app can open is no link of a web notification of FCM", "[push]")
{
    auto const push = rendered(R"({"link": "myapp://orders/7"})");
    CHECK_FALSE(fcm(push).at("webpush").as_object().contains("fcm_options"));
    CHECK(testing::text(fcm(push).at("data"), "link") == "myapp://orders/7");
    CHECK(testing::text(apns(push), "link") == "myapp://orders/7");
    CHECK(testing::text(web(push), "link") == "myapp://orders/7");
    CHECK_FALSE(apns(push).at("aps").as_object().contains("mutable-content"));
}

TEST_CASE("a push with a lifetime of 0 is not stored by a carrier", "[push]")
{
    auto const push = rendered(R"({"ttlSeconds": 0})");
    CHECK(push.apns_expiration == "0");
    CHECK(push.ttl_seconds == 0);
    CHECK(testing::text(fcm(push).at("android"), "ttl") == "0s");
    CHECK(testing::text(fcm(push).at("webpush").at("headers"), "TTL") == "0");
}

TEST_CASE("equal collapse keys have one topic of at most 32 characters", "[push]")
{
    auto const first = rendered(R"({"collapseKey": "a"})").topic;
    CHECK(first == rendered(R"({"collapseKey": "a", "badge": 1})").topic);
    CHECK(first != rendered(R"({"collapseKey": "b"})").topic);
    CHECK(rendered(R"({"collapseKey": ")" + std::string(64, '~') + "\"}").topic.size() == 32);
}

TEST_CASE("options count for the size limit of each carrier", "[push]")
{
    std::string const image = R"("image": "https://example.com/)" + std::string(1'980, 'x') + '"';
    std::string const link = R"("link": "https://example.com/)" + std::string(1'980, 'x') + '"';
    auto const one = rendered("{" + link + "}");
    CHECK(one.fcm_fits);
    CHECK(one.apns_fits);
    CHECK(one.web_fits);
    auto const both = rendered("{" + image + "," + link + "}");
    CHECK_FALSE(both.fcm_fits);
    CHECK_FALSE(both.apns_fits);
    CHECK_FALSE(both.web_fits);

    auto const with_body = [](std::size_t size) {
        std::string const body(size, 'x');
        return render_push({.id = id, .title = {}, .body = body, .data = {}, .created_at = created});
    };
    auto const overhead = with_body(0).web_payload.size();
    CHECK(with_body(3'993 - overhead).web_fits);
    CHECK_FALSE(with_body(3'994 - overhead).web_fits);
}
