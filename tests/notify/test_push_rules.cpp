#include "core/error.hpp"
#include "domain/push_payload.hpp"
#include "http_client/client.hpp"
#include "providers/apns.hpp"
#include "providers/fcm.hpp"
#include "providers/oauth.hpp"
#include "support/json.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <set>

using namespace notify;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

core::Uuid const id = core::Uuid::parse("018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f").value();
core::Time const created = core::parse_rfc3339("2026-01-01T00:00:00.250Z").value();

RenderedPush rendered(std::string_view title, std::string_view body,
    std::vector<std::pair<std::string, std::string>> const& data = {}, bool broadcast = false)
{
    return render_push({.id = id,
        .broadcast = broadcast,
        .title = title,
        .body = body,
        .data = data,
        .created_at = created});
}

std::string fcm_body(RenderedPush const& push, std::string_view token)
{
    std::string space;
    return push.fcm_head + std::string(json_escaped(token, space)) + push.fcm_tail;
}

CarrierResponse fcm_response(unsigned status, json::value const& error)
{
    return fcm::read_response(status, json::serialize(json::object{{"error", error}}), std::nullopt);
}

json::object fcm_error(std::string_view status, std::string_view message, std::string_view code)
{
    return {{"status", status}, {"message", message},
        {"details",
            {{{"@type", "type.googleapis.com/google.firebase.fcm.v1.FcmError"}, {"errorCode", code}}}}};
}

} // namespace

TEST_CASE("a push is rendered in the form that FCM and APNs document", "[push]")
{
    auto const push = rendered("Order \"7\"", "On its\nway ✓", {{"order", "7"}, {"a \"key\"", "\\"}});
    CHECK(json::parse(fcm_body(push, "token:1")) == json::parse(R"({"message": {
        "token": "token:1",
        "notification": {"title": "Order \"7\"", "body": "On its\nway ✓"},
        "data": {"notificationId": "018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f", "order": "7", "a \"key\"": "\\"},
        "android": {"priority": "high",
                    "notification": {"tag": "018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f"}},
        "webpush": {"headers": {"Topic": "018f6f6e7b1a7c3e9d2a6b1f0c2d3e4f", "Urgency": "high"},
                    "notification": {"tag": "018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f"}}}})"));
    CHECK(json::parse(push.apns_body) == json::parse(R"({
        "aps": {"alert": {"title": "Order \"7\"", "body": "On its\nway ✓"}, "sound": "default"},
        "notificationId": "018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f", "order": "7", "a \"key\"": "\\"})"));
    CHECK(push.collapse_id == "018f6f6e-7b1a-7c3e-9d2a-6b1f0c2d3e4f");
    CHECK(push.apns_expiration == "1769644800"); // 2026-01-29T00:00:00Z
}

TEST_CASE("a push without a title has no title field, and a broadcast contains broadcastId", "[push]")
{
    auto const push = rendered("", "Hello", {}, true);
    auto const fcm = json::parse(fcm_body(push, "t")).at("message");
    CHECK(fcm.at("notification") == json::parse(R"({"body": "Hello"})"));
    CHECK(json::serialize(fcm.at("data")) == R"({"broadcastId":")" + id.to_string() + "\"}");
    CHECK(testing::text(json::parse(push.apns_body), "broadcastId") == id.to_string());
}

TEST_CASE("a token with any content stays inside its JSON string", "[push]")
{
    auto const push = rendered("T", "B");
    for (std::string const token :
        {"plain", R"(a"b)", R"(a\b)", "a\nb", R"("},"data":{"x":"y")", "ünïcode"}) {
        INFO(token);
        CHECK(testing::text(json::parse(fcm_body(push, token)).at("message"), "token") == token);
    }
}

TEST_CASE("a push that is too large is detected before sending", "[push]")
{
    auto const fits = rendered("", std::string(3'900, 'x'));
    CHECK(fits.fcm_fits);
    CHECK(fits.apns_fits);
    auto const quotes = rendered("", std::string(2'100, '"')); // each takes two bytes in APNs' JSON
    CHECK(quotes.fcm_fits);
    CHECK_FALSE(quotes.apns_fits);
    auto const large = rendered("", "x", {{"k", std::string(4'096, 'x')}});
    CHECK_FALSE(large.fcm_fits);
    CHECK_FALSE(large.apns_fits);
}

TEST_CASE("keys that the carriers reserve are refused in data", "[push]")
{
    for (auto const* key : {"from", "message_type", "collapse_key", "google.c", "googleplex", "gcm", "gcm.x",
             "aps", "notificationId", "broadcastId"}) {
        INFO(key);
        CHECK(is_reserved_data_key(key));
        CHECK_THROWS_AS(rendered("T", "B", {{key, "x"}}), std::invalid_argument);
    }
    for (auto const* key : {"From", "order", "apsis", "xgoogle", ""}) {
        INFO(key);
        CHECK_FALSE(is_reserved_data_key(key));
    }
}

TEST_CASE("the id of a push is unique, and the same in every repetition", "[push]")
{
    CHECK(push_id(id, 7) == push_id(id, 7));
    std::set<core::Uuid> names{push_id(core::Uuid(), 7)};
    for (std::int64_t device = 0; device < 1'000; ++device)
        names.insert(push_id(id, device));
    CHECK(names.size() == 1'001);
    std::string const text = push_id(id, 7).to_string();
    CHECK(text[14] == '8');                                                   // version 8
    CHECK(std::string_view("89ab").find(text[19]) != std::string_view::npos); // variant
}

TEST_CASE("responses of FCM are classified", "[push]")
{
    struct Case {
        unsigned status;
        char const *canonical, *message, *code;
        Verdict verdict;
        char const* reason;
    };

    for (auto const& c : {
             Case{404, "NOT_FOUND", "Requested entity was not found.", "UNREGISTERED", Verdict::gone,
                 "UNREGISTERED"},
             Case{400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token",
                 "INVALID_ARGUMENT", Verdict::gone, "INVALID_ARGUMENT"},
             Case{400, "INVALID_ARGUMENT", "Message is too big", "INVALID_ARGUMENT", Verdict::refused,
                 "INVALID_ARGUMENT: Message is too big"},
             Case{403, "PERMISSION_DENIED", "SenderId mismatch", "SENDER_ID_MISMATCH", Verdict::refused,
                 "SENDER_ID_MISMATCH: SenderId mismatch"},
             Case{401, "UNAUTHENTICATED", "Auth error", "THIRD_PARTY_AUTH_ERROR", Verdict::refused,
                 "THIRD_PARTY_AUTH_ERROR: Auth error"},
             Case{429, "RESOURCE_EXHAUSTED", "Quota", "QUOTA_EXCEEDED", Verdict::throttled, "QUOTA_EXCEEDED"},
             Case{503, "UNAVAILABLE", "Away", "UNAVAILABLE", Verdict::transient, "UNAVAILABLE"},
             Case{500, "INTERNAL", "Oops", "INTERNAL", Verdict::transient, "INTERNAL"},
         }) {
        INFO(c.code);
        auto const read = fcm_response(c.status, fcm_error(c.canonical, c.message, c.code));
        CHECK(to_string(read.result.verdict) == to_string(c.verdict));
        CHECK(read.result.reason == c.reason);
        CHECK_FALSE(read.stale);
        CHECK(read.hold == (c.verdict == Verdict::throttled)); // a quota belongs to the project
    }
}

TEST_CASE("responses of FCM without an FCM error code are classified", "[push]")
{
    auto const field = [](char const* name) {
        return json::object{{"status", "INVALID_ARGUMENT"},
            {"message", "Request contains an invalid argument."},
            {"details", {{{"@type", "type.googleapis.com/google.rpc.BadRequest"},
                            {"fieldViolations", {{{"field", name}, {"description", "is wrong"}}}}}}}};
    };
    CHECK(fcm_response(400, field("message.token")).result.verdict == Verdict::gone);
    CHECK(fcm_response(400, field("message.data[0].value")).result.verdict == Verdict::refused);
    CHECK(fcm_response(400, field("message.tokens")).result.verdict == Verdict::refused);
    auto const denied = fcm_response(403, {{"status", "PERMISSION_DENIED"}, {"message", "No"}});
    CHECK(denied.result.verdict == Verdict::credential);
    CHECK_FALSE(denied.stale);
    auto const stranger = fcm_response(401, {{"status", "UNAUTHENTICATED"}, {"message", "Who?"}});
    CHECK(stranger.result.verdict == Verdict::credential);
    CHECK(stranger.stale);
    CHECK(fcm_response(404, {{"status", "NOT_FOUND"}, {"message", "?"}}).result.verdict == Verdict::refused);
}

TEST_CASE("a response that does not come from FCM is not treated as an invalid token", "[push]")
{
    for (auto const* body : {"", "<html>404</html>", "[]", "{}", R"({"error": 1})", R"({"error": "no"})"}) {
        INFO(body);
        CHECK(fcm::read_response(404, body, {}).result.verdict == Verdict::transient);
        CHECK(fcm::read_response(400, body, {}).result.verdict == Verdict::transient);
        CHECK(fcm::read_response(200, body, {}).result.verdict == Verdict::transient);
        CHECK(fcm::read_response(502, body, {}).result.verdict == Verdict::transient);
        CHECK(fcm::read_response(429, body, {}).result.verdict == Verdict::throttled);
        CHECK(fcm::read_response(403, body, {}).result.verdict == Verdict::credential);
    }
    CHECK(fcm::read_response(200, R"({"name": ""})", {}).result.reason == "UNEXPECTED_ANSWER");
    CHECK(fcm::read_response(302, "", {}).result.reason == "HTTP_302");
    auto const accepted = fcm::read_response(200, "{\n \"name\" : \"projects/p/messages/0:1%2\"\n}", {});
    CHECK(accepted.result.verdict == Verdict::accepted);
    CHECK(accepted.result.provider_id == "projects/p/messages/0:1%2");
}

TEST_CASE("a message name that cannot be stored is an unexpected response", "[push]")
{
    std::string const zero(1, '\0');
    for (auto const& name : {"a" + zero, std::string("a\xff"), std::string("a b"), std::string(501, 'a')}) {
        auto const read = fcm::read_response(200, R"({"name": ")" + name + R"("})", {}).result;
        CHECK(read.verdict == Verdict::transient);
        CHECK(read.reason == "UNEXPECTED_ANSWER");
        CHECK(read.provider_id.empty());
    }
    CHECK(fcm::read_response(200, R"({"name": "unfinished)", {}).result.reason == "UNEXPECTED_ANSWER");
    auto const longest = fcm::read_response(200, R"({"name": ")" + std::string(500, 'a') + R"("})", {});
    CHECK(longest.result.provider_id.size() == 500);
}

TEST_CASE("a Retry-After of FCM or APNs is reported, and delays all pushes if it applies to all", "[push]")
{
    auto const body = json::serialize(json::object{{"error", fcm_error("UNAVAILABLE", "", "UNAVAILABLE")}});
    auto const fcm = fcm::read_response(503, body, 30s);
    CHECK(fcm.result.retry_after == 30s);
    CHECK(fcm.hold);
    auto const device = apns::read_response(429, R"({"reason": "TooManyRequests"})", 30s);
    CHECK(device.result.verdict == Verdict::throttled);
    CHECK(device.result.retry_after == 30s);
    CHECK_FALSE(device.hold); // applies to one device
    CHECK(apns::read_response(429, R"({"reason": "TooManyProviderTokenUpdates"})", 30s).hold);
    CHECK(apns::read_response(503, R"({"reason": "ServiceUnavailable"})", 30s).hold);
    CHECK_FALSE(apns::read_response(503, R"({"reason": "ServiceUnavailable"})", {}).hold);
}

TEST_CASE("reasons of APNs are classified", "[push]")
{
    struct Case {
        unsigned status;
        Verdict verdict;
        std::vector<char const*> reasons;
    };

    for (auto const& [status, verdict, reasons] : {
             Case{400, Verdict::gone, {"BadDeviceToken", "DeviceTokenNotForTopic", "MissingDeviceToken"}},
             Case{410, Verdict::gone, {"Unregistered", "ExpiredToken"}},
             Case{400, Verdict::refused,
                 {"BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders",
                     "InvalidPushType", "PayloadEmpty"}},
             Case{413, Verdict::refused, {"PayloadTooLarge"}},
             Case{404, Verdict::refused, {"BadPath"}},
             Case{405, Verdict::refused, {"MethodNotAllowed"}},
             Case{400, Verdict::credential, {"BadTopic", "MissingTopic", "TopicDisallowed"}},
             Case{403, Verdict::credential,
                 {"BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyIdInToken",
                     "ExpiredProviderToken", "Forbidden", "InvalidProviderToken", "MissingProviderToken",
                     "UnrelatedKeyIdInToken", "SomethingNew"}},
             Case{429, Verdict::throttled, {"TooManyRequests", "TooManyProviderTokenUpdates"}},
             Case{400, Verdict::transient, {"IdleTimeout"}},
             Case{500, Verdict::transient, {"InternalServerError"}},
             Case{503, Verdict::transient, {"ServiceUnavailable", "Shutdown"}},
         }) {
        for (auto const* reason : reasons) {
            INFO(reason);
            auto const read =
                apns::read_response(status, json::serialize(json::object{{"reason", reason}}), {});
            CHECK(to_string(read.result.verdict) == to_string(verdict));
            CHECK(read.result.reason == reason);
            CHECK(read.stale == (reason == std::string_view("ExpiredProviderToken")));
        }
    }
    CHECK(apns::read_response(200, "", {}).result.verdict == Verdict::accepted);
    CHECK(apns::read_response(400, "<html>", {}).result.verdict == Verdict::transient);
    CHECK(apns::read_response(410, "", {}).result.verdict == Verdict::transient);
    CHECK(apns::read_response(502, "<html>", {}).result.reason == "HTTP_502");
}

TEST_CASE("the time since when a token is invalid is read from APNs' response", "[push]")
{
    auto const read =
        apns::read_response(410, R"({"reason": "Unregistered", "timestamp": 1454948015990})", {});
    CHECK(read.result.gone_since == core::parse_rfc3339("2016-02-08T16:13:35.990Z"));
    for (auto const* timestamp : {"-1", "1e3", "\"1454948015990\"", "9223372036854775807", "null"}) {
        INFO(timestamp);
        auto const odd = apns::read_response(
            410, std::string(R"({"reason": "Unregistered", "timestamp": )") + timestamp + "}", {});
        CHECK(odd.result.verdict == Verdict::gone);
        CHECK_FALSE(odd.result.gone_since);
    }
}

TEST_CASE("responses of a token endpoint are classified", "[push]")
{
    auto const read = [](unsigned status, std::string body) {
        return oauth::read_response({.status = status, .headers = {}, .body = std::move(body)}, created);
    };
    auto const good = read(200, R"({"access_token": "ya29.x", "expires_in": 3599, "token_type": "Bearer"})");
    REQUIRE(good.token);
    CHECK(good.token->value.reveal() == "ya29.x");
    CHECK(good.token->expires == created + 3599s);

    auto const revoked = read(400, R"({"error": "invalid_grant", "error_description": "Account disabled"})");
    CHECK_FALSE(revoked.token);
    CHECK(revoked.failure.verdict == Verdict::credential);
    CHECK(revoked.failure.reason == "invalid_grant: Account disabled");
    CHECK(read(401, R"({"error": "invalid_client"})").failure.verdict == Verdict::credential);
    CHECK(read(400, R"({"error": "temporarily_unavailable"})").failure.verdict == Verdict::transient);
    CHECK(read(400, "<html>").failure.verdict == Verdict::transient);
    CHECK(read(404, R"({"error": "not_found"})").failure.verdict == Verdict::transient);
    CHECK(read(429, "").failure.verdict == Verdict::throttled);
    CHECK(read(503, "").failure.verdict == Verdict::transient);
    for (auto const* body : {"", "{}", "[]", R"({"access_token": "a b", "expires_in": 60})",
             R"({"access_token": "a\r\nX: y", "expires_in": 60})",
             R"({"access_token": "", "expires_in": 60})", R"({"access_token": "a"})",
             R"({"access_token": "a", "expires_in": 0})", R"({"access_token": "a", "expires_in": "60"})"}) {
        INFO(body);
        CHECK_FALSE(read(200, body).token);
        CHECK(read(200, body).failure.verdict == Verdict::transient);
    }
}

TEST_CASE("a base URL is split into its parts", "[push]")
{
    auto const apple = BaseUrl::parse("https://api.push.apple.com");
    CHECK(apple.host == "api.push.apple.com");
    CHECK(apple.port == 443);
    CHECK(apple.tls);
    CHECK(apple.authority == "api.push.apple.com");
    CHECK(apple.prefix.empty());
    auto const local = BaseUrl::parse("http://[::1]:8080/base/path/");
    CHECK(local.host == "::1");
    CHECK(local.port == 8080);
    CHECK_FALSE(local.tls);
    CHECK(local.authority == "[::1]:8080");
    CHECK(local.prefix == "/base/path");
    CHECK_THROWS_AS(BaseUrl::parse("ftp://example.com"), std::invalid_argument);
}
