#include "core/fields.hpp"
#include "crypto/encoding.hpp"
#include "domain/credential.hpp"
#include "domain/push_payload.hpp"
#include "domain/web_push.hpp"
#include "http_client/url.hpp"
#include "providers/web_push_client.hpp"
#include "support/json.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <stdexcept>

using namespace notify;
using namespace std::chrono_literals;
namespace json = boost::json;
namespace base64url = crypto::base64url;
using Event = CarrierBreaker::Event;

namespace {

std::string decoded(std::string_view text)
{
    return base64url::decode(text).value();
}

/// The values of RFC 8291, Appendix A.
constexpr std::string_view plaintext = "When I grow up, I want to be a watermelon";
constexpr std::string_view receiver_key =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
constexpr std::string_view auth = "BTBZMqHH6r4Tts7J_aSIgg";
constexpr std::string_view sender_key =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
constexpr std::string_view sender_private = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
constexpr std::string_view salt = "DGv6ra1nlYgDCS1FRnbzlw";
constexpr std::string_view message =
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
    "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";

/// The sender's key pair in SEC 1.
crypto::EcdhKey sender()
{
    std::string const der =
        std::string("\x30\x77\x02\x01\x01\x04\x20", 7) + decoded(sender_private) +
        std::string("\xa0\x0a\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\xa1\x44\x03\x42\x00", 17) +
        decoded(sender_key);
    return crypto::EcdhKey::from_pem("-----BEGIN EC PRIVATE KEY-----\n" + crypto::base64::encode(der) +
                                     "\n-----END EC PRIVATE KEY-----\n");
}

WebSubscription receiver()
{
    return {.endpoint = "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
        .p256dh = decoded(receiver_key),
        .auth = decoded(auth),
        .vapid_key = {}};
}

WebPushHosts hosts(std::string_view text = "push.example.net,*.example.org,127.0.0.1:8443")
{
    return WebPushHosts::parse(text).value();
}

json::object subscription(std::string_view endpoint = "https://push.example.net/x")
{
    return {{"endpoint", endpoint}, {"expirationTime", nullptr},
        {"keys", json::object{{"p256dh", receiver_key}, {"auth", auth}}}};
}

/// The errors in the registration of a subscription: one line `pointer code` per error.
std::string faults_of(json::value const& value)
{
    json::value const body{{"subscription", value}};
    core::Fields f(body);
    read_web_subscription(f, hosts());
    std::string lines;
    for (auto const& fault : f.faults())
        lines += (lines.empty() ? "" : "\n") + fault.pointer + ' ' + fault.code;
    return lines;
}

json::object with_key(std::string_view name, std::string_view value)
{
    auto changed = subscription();
    changed["keys"].as_object()[name] = value;
    return changed;
}

std::string errors_of_vapid(json::value const& body, VapidKeys const* earlier = nullptr)
{
    try {
        Credential::parse_vapid(body, earlier);
        return {};
    } catch (core::Error const& error) {
        std::string lines;
        for (auto const& fault : error.faults())
            lines += (lines.empty() ? "" : "\n") + fault.pointer + ' ' + fault.code;
        return lines;
    }
}

http_client::Result answered(unsigned status, std::optional<std::chrono::seconds> retry_after = {})
{
    http_client::Response response;
    response.status = status;
    response.retry_after = retry_after;
    return response;
}

http_client::Result failed(http_client::Error::Kind kind, bool request_sent)
{
    return http_client::Error(kind, "failed", request_sent);
}

std::string name_of(http_client::Result const& result)
{
    auto const r = web_push_result(result);
    return std::string(to_string(r.verdict)) + (r.reason.empty() ? "" : ' ' + r.reason) +
           (r.retry_after ? ' ' + std::to_string(r.retry_after->count()) : "");
}

} // namespace

TEST_CASE("a message is encrypted as in RFC 8291, Appendix A", "[web_push]")
{
    REQUIRE(base64url::encode(sender().public_point()) == sender_key);
    CHECK(base64url::encode(web_push::encrypt(plaintext, receiver(), {sender(), decoded(salt)})) == message);
}

TEST_CASE("each message has another key and salt, and at most 4,096 bytes", "[web_push]")
{
    auto const one = web_push::encrypt(plaintext, receiver()),
               other = web_push::encrypt(plaintext, receiver());
    CHECK(one.size() == other.size());
    CHECK(one.substr(0, web_push::salt_size) != other.substr(0, web_push::salt_size));
    CHECK(one.substr(21, 65) != other.substr(21, 65));
    CHECK(
        web_push::encrypt(std::string(max_web_push_bytes, 'x'), receiver()).size() == web_push::record_size);
    CHECK(web_push::encrypt("", receiver()).size() == 86 + 1 + 16);
    CHECK_THROWS_AS(
        web_push::encrypt(std::string(max_web_push_bytes + 1, 'x'), receiver()), std::invalid_argument);
    auto broken = receiver();
    broken.p256dh.back() = static_cast<char>(broken.p256dh.back() ^ 1);
    CHECK_THROWS_AS(web_push::encrypt(plaintext, broken), std::invalid_argument);
}

TEST_CASE("an endpoint's host must be in the list", "[web_push]")
{
    CHECK(hosts().allows("push.example.net", 443));
    CHECK_FALSE(hosts().allows("push.example.net", 8443)); // an entry without a port stands for 443
    CHECK(hosts().allows("a.example.org", 443));
    CHECK(hosts().allows("a.b.example.org", 443));
    CHECK(hosts().allows("127.0.0.1", 8443));
    CHECK_FALSE(hosts().allows("127.0.0.1", 443));
    for (std::string const host : {"example.org", "xexample.org", "a.push.example.net", "push.example.net.",
             "", "example.net", ".example.org"})
        CHECK_FALSE(hosts().allows(host, 443));
    auto const v6 = hosts("[::1]:8443, [::2], ::3");
    CHECK(v6.allows("::1", 8443));
    CHECK_FALSE(v6.allows("::1", 443));
    CHECK(v6.allows("::2", 443));
    CHECK(v6.allows("::3", 443));
    for (std::string const text : {"", "a,", ",a", "*", "*.", ".example.org", "https://example.org", "a:0",
             "a:b", "a:99999", "a b", "a*b", "a/b", "*.*.example.org", "*.:443", "*..", "[::1", ":443"})
        CHECK_FALSE(WebPushHosts::parse(text));
    auto const usual = hosts(WebPushHosts::defaults);
    for (std::string const host : {"fcm.googleapis.com", "updates.push.services.mozilla.com",
             "web.push.apple.com", "api.push.apple.com", "wns2-par02p.notify.windows.com"})
        CHECK(usual.allows(host, 443));
    CHECK_FALSE(usual.allows("push.apple.com.evil.example", 443));
}

TEST_CASE("a subscription is checked field by field", "[web_push]")
{
    CHECK(faults_of(subscription()).empty());
    CHECK(faults_of(nullptr) == "/subscription required");
    CHECK(faults_of("text") == "/subscription type");
    CHECK(faults_of(json::object()) == "/subscription/endpoint required\n/subscription/keys required");
    CHECK(
        faults_of({{"endpoint", 7}, {"keys", json::object()}}) ==
        "/subscription/endpoint type\n/subscription/keys/p256dh required\n/subscription/keys/auth required");
    for (std::string const endpoint : {"http://push.example.net/x", "push.example.net", "https://",
             "https://user@push.example.net/x", "https://push.example.net/a b",
             "https://push.example.net/\xc3\xa4", "https:/push.example.net/x", "ftp://push.example.net/x"})
        CHECK(faults_of(subscription(endpoint)) == "/subscription/endpoint format");
    for (std::string const endpoint : {"https://example.com/x", "https://127.0.0.1/x", "https://localhost/x",
             "https://push.example.net.evil.example/x", "https://evil.example/push.example.net"})
        CHECK(faults_of(subscription(endpoint)) == "/subscription/endpoint not_allowed");
    std::string const long_endpoint = "https://push.example.net/";
    CHECK(faults_of(subscription(long_endpoint + std::string(2'048 - long_endpoint.size(), 'x'))).empty());
    CHECK(faults_of(subscription(long_endpoint + std::string(2'049 - long_endpoint.size(), 'x'))) ==
          "/subscription/endpoint too_long");
    auto off_curve = decoded(receiver_key);
    off_curve.back() = static_cast<char>(off_curve.back() ^ 1);
    for (auto const& key : {std::string("%%%"), std::string("AAAA"), base64url::encode(off_curve),
             std::string(receiver_key) + "=", base64url::encode(decoded(receiver_key).substr(1))})
        CHECK(faults_of(with_key("p256dh", key)) == "/subscription/keys/p256dh format");
    for (auto const& key : {std::string("%%%"), std::string("AAAA"), base64url::encode(std::string(17, 'x'))})
        CHECK(faults_of(with_key("auth", key)) == "/subscription/keys/auth format");
    CHECK(faults_of(with_key("auth", std::string(201, 'A'))) == "/subscription/keys/auth too_long");
}

TEST_CASE("a subscription is restored as it was stored", "[web_push]")
{
    auto const restored = WebSubscription::restore(receiver().to_secret().reveal(), "the key");
    CHECK(restored.endpoint == receiver().endpoint);
    CHECK(restored.p256dh == receiver().p256dh);
    CHECK(restored.auth == receiver().auth);
    CHECK(restored.vapid_key == "the key");
    for (std::string const text : {"", "{}", "[]", R"({"endpoint":1,"p256dh":"","auth":""})"})
        CHECK_THROWS_AS(WebSubscription::restore(text, ""), std::invalid_argument);
    CHECK(web_token("https://push.example.net/x") ==
          "ffa6f25e7154d19a692453ec339de99b06f0ce70c2b6d15c70184744cf554e1a");
}

TEST_CASE("an origin has a port unless it is 443", "[web_push]")
{
    CHECK(web_origin("https://Push.Example.net:443/x?y")->text == "https://push.example.net");
    CHECK(web_origin("https://push.example.net:8443")->text == "https://push.example.net:8443");
    CHECK(web_origin("https://[::1]:8443/x")->text == "https://[::1]:8443");
    CHECK_FALSE(web_origin("http://push.example.net/x"));
}

TEST_CASE("a VAPID header is signed for one origin", "[web_push]")
{
    auto const key = VapidKey::generate();
    core::Time const expires = core::Time() + std::chrono::seconds(2'000'000'000);
    auto const header = vapid_authorization(key, "mailto:a@example.com", "https://push.example.net", expires);
    std::string const prefix = "vapid t=", middle = ", k=";
    REQUIRE(header.starts_with(prefix));
    auto const comma = header.find(middle);
    REQUIRE(header.substr(comma + middle.size()) == key.public_key);
    auto const jws = crypto::parse_jws(header.substr(prefix.size(), comma - prefix.size())).value();
    CHECK(jws.header == json::object{{"typ", "JWT"}, {"alg", "ES256"}});
    CHECK(jws.payload == json::object{{"aud", "https://push.example.net"}, {"exp", 2'000'000'000},
                             {"sub", "mailto:a@example.com"}});
    auto const public_key = crypto::PublicKey::from_jwk(key.key.public_jwk("k")).value();
    CHECK(crypto::verify_es256(public_key, jws));
    CHECK(decoded(key.public_key) == key.key.public_point());
}

TEST_CASE("the subject of VAPID keys is an email address or an https URL", "[web_push]")
{
    for (std::string const subject :
        {"mailto:push@example.com", "https://example.com", "https://example.com/contact"})
        CHECK(errors_of_vapid({{"subject", subject}}).empty());
    for (std::string const subject : {"push@example.com", "mailto:push", "http://example.com", "https://",
             "https://a:b@example.com", "mailto:a@example.com\n", "tel:+1"})
        CHECK(errors_of_vapid({{"subject", subject}}) == "/subject format");
    CHECK(errors_of_vapid({{"subject", "https://example.com/" + std::string(300, 'x')}}) ==
          "/subject too_long");
    CHECK(errors_of_vapid(json::object()) == "/subject required");
    CHECK(errors_of_vapid({{"rotate", "yes"}}) == "/subject required\n/rotate type");
}

TEST_CASE("VAPID keys are kept until a new key is wanted, and earlier keys stay", "[web_push]")
{
    auto const first = Credential::parse_vapid({{"subject", "mailto:a@example.com"}}, nullptr);
    REQUIRE(first.keys.size() == 1);
    auto const kept = Credential::parse_vapid({{"subject", "mailto:b@example.com"}}, &first);
    CHECK(kept.subject == "mailto:b@example.com");
    CHECK(kept.keys.size() == 1);
    CHECK(kept.current().public_key == first.current().public_key);
    auto const rotated = Credential::parse_vapid({{"rotate", true}}, &kept);
    CHECK(rotated.subject == "mailto:b@example.com");
    REQUIRE(rotated.keys.size() == 2);
    CHECK(rotated.current().public_key != first.current().public_key);
    CHECK(rotated.find(first.current().public_key) == &rotated.keys[1]);
    CHECK(rotated.find("other") == nullptr);

    auto const credential = Credential::make(rotated);
    CHECK(credential->carrier() == Carrier::webpush);
    CHECK(credential->shown().public_key == rotated.current().public_key);
    CHECK(credential->shown().subject == rotated.subject);
    auto const restored = Credential::restore(Carrier::webpush, credential->to_secret().reveal());
    CHECK(restored->fingerprint() == credential->fingerprint());
    REQUIRE(restored->vapid().keys.size() == 2);
    CHECK(restored->vapid().keys[1].public_key == first.current().public_key);
    for (std::string const text : {"{}", R"({"subject":"mailto:a@example.com","keys":[]})",
             R"({"subject":"mailto:a@example.com","keys":["no key"]})"})
        CHECK_THROWS_AS(Credential::restore(Carrier::webpush, text), std::invalid_argument);
}

TEST_CASE("each response of a push service has one meaning for the device", "[web_push]")
{
    using enum http_client::Error::Kind;
    CHECK(name_of(answered(201)) == "accepted");
    CHECK(name_of(answered(200)) == "accepted");
    CHECK(name_of(answered(202)) == "accepted");
    CHECK(name_of(answered(404)) == "gone HTTP_404");
    CHECK(name_of(answered(410)) == "gone HTTP_410");
    CHECK(name_of(answered(413)) == "refused PAYLOAD_TOO_LARGE");
    for (unsigned const status : {301U, 307U, 400U, 401U, 403U, 405U})
        CHECK(name_of(answered(status)) == "refused HTTP_" + std::to_string(status));
    CHECK(name_of(answered(429, 60s)) == "throttled HTTP_429 60");
    CHECK(name_of(answered(429)) == "throttled HTTP_429");
    CHECK(name_of(answered(503, 30s)) == "transient HTTP_503 30");
    CHECK(name_of(failed(timeout, true)) == "transient TIMEOUT");
    CHECK(name_of(failed(connect, false)) == "transient CARRIER_DOWN");
    CHECK(name_of(failed(dns, false)) == "transient CARRIER_DOWN 60");
    CHECK(name_of(failed(connect, true)) == "transient CONNECTION_LOST");
    CHECK(name_of(failed(tls, false)) == "transient CARRIER_DOWN");
    CHECK(name_of(failed(refused_address, false)) == "refused ADDRESS_NOT_ALLOWED");
    CHECK(name_of(failed(stopped, true)) == "transient STOPPED");
    CHECK(name_of(failed(protocol, true)) == "transient UNEXPECTED_ANSWER");

    CHECK(web_push_event(answered(201)) == Event::answered);
    CHECK(web_push_event(answered(403)) == Event::answered);
    CHECK(web_push_event(answered(500)) == Event::failed);
    CHECK(web_push_event(failed(timeout, true)) == Event::failed);
    CHECK(web_push_event(failed(connect, false)) == Event::unreachable);
    CHECK_FALSE(web_push_event(failed(dns, false)));
    CHECK_FALSE(web_push_event(failed(refused_address, false)));
    CHECK_FALSE(web_push_event(failed(stopped, true)));
}
