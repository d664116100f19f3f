#include "push_fixture.hpp"

#include <future>

using namespace push_test;

TEST_CASE("a push reaches Android and iOS in the form that the carriers document", "[push]")
{
    Fixture f;
    auto const message = f.message("Hello");
    auto const results = send_all(*f.push, {fcm_credential(), apns_credential()}, message,
        {Fixture::target(Carrier::apns, "a1b2c3", 7), Fixture::target(Carrier::fcm, "fcm:token", 8)});
    REQUIRE(results.size() == 2);
    CHECK(name_of(results[0]) == "accepted");
    CHECK(name_of(results[1]) == "accepted");

    auto const apple = f.apns.seen().at(0);
    auto const& headers = apple.at("headers").as_object();
    CHECK(text(headers, ":path") == "/3/device/a1b2c3");
    CHECK(text(headers, "apns-topic") == "com.example.demo");
    CHECK(text(headers, "apns-push-type") == "alert");
    CHECK(text(headers, "apns-priority") == "10");
    CHECK(text(headers, "apns-expiration") == message->apns_expiration);
    CHECK(text(headers, "apns-collapse-id") == message->collapse_id);
    CHECK(text(headers, "apns-id") == push_id(message->id, 7).to_string());
    CHECK(results[0].provider_id == push_id(message->id, 7).to_string());
    CHECK(apple.at("body") == json::parse(message->apns_body));
    json::value const provider_token = f.apns.tokens().at(0);
    CHECK(text(provider_token.at("header"), "kid") == "ABCDE12345");
    CHECK(text(provider_token.at("claims"), "iss") == "TEAM123456");

    auto const google = f.fcm.seen().at(0);
    CHECK(text(google.at("headers"), ":path") == "/v1/projects/demo-project/messages:send");
    CHECK(google.at("body") == json::parse(message->fcm_head + "fcm:token" + message->fcm_tail));
    CHECK(results[1].provider_id.starts_with("projects/demo-project/messages/0:"));
    json::value const assertion = f.fcm.tokens().at("assertions").at(0);
    CHECK(text(assertion.at("header"), "kid") == "key-1");
    CHECK(text(assertion.at("claims"), "iss") == "push@demo-project.iam.gserviceaccount.com");
    CHECK(text(assertion.at("claims"), "aud") == f.fcm.token_url());
}

TEST_CASE("a push carries the trace of its request to either carrier", "[push]")
{
    Fixture f;
    std::string const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    auto const message = std::make_shared<RenderedPush const>(render_push({.id = core::Uuid::v7(),
        .title = "Title",
        .body = "Body",
        .data = {},
        .created_at = f.clock.now(),
        .traceparent = trace}));
    std::vector const targets{
        Fixture::target(Carrier::apns, "a1b2c3", 7), Fixture::target(Carrier::fcm, "fcm:token", 8)};
    for (auto const& sent : {message, f.message()}) {
        auto const results = send_all(*f.push, {fcm_credential(), apns_credential()}, sent, targets);
        REQUIRE(results.size() == 2);
        CHECK(name_of(results[0]) == "accepted");
        CHECK(name_of(results[1]) == "accepted");
    }
    for (auto const* carrier : {&f.apns, &f.fcm}) {
        auto const seen = carrier->seen();
        REQUIRE(seen.size() == 2);
        CHECK(text(seen[0].at("headers"), "traceparent") == trace);
        CHECK_FALSE(seen[1].at("headers").as_object().contains("traceparent"));
    }
}

TEST_CASE("every documented response of FCM is classified, over real connections", "[push]")
{
    Fixture f;

    struct Case {
        char const *token, *result;
    };

    std::vector<Case> const cases{{"ok:1", "accepted"}, {"UNREGISTERED", "gone UNREGISTERED"},
        {"INVALID_TOKEN", "gone INVALID_ARGUMENT"}, {"INVALID_TOKEN_FIELD", "gone INVALID_ARGUMENT"},
        {"INVALID_ARGUMENT",
            "refused INVALID_ARGUMENT: Invalid value at 'message.data[0].value' (TYPE_STRING), 12"},
        {"SENDER_ID_MISMATCH", "refused SENDER_ID_MISMATCH: SenderId mismatch"},
        {"THIRD_PARTY_AUTH_ERROR",
            "refused THIRD_PARTY_AUTH_ERROR: Auth error from APNS or Web Push Service"},
        {"PERMISSION_DENIED",
            "credential PERMISSION_DENIED: Permission 'cloudmessaging.messages.create' denied"},
        {"QUOTA_EXCEEDED_SOON", "throttled QUOTA_EXCEEDED"}, {"INTERNAL", "transient INTERNAL"},
        {"BAD_GATEWAY", "transient HTTP_502"}, {"NOT_FOUND", "transient HTTP_404"},
        {"NONSENSE", "transient UNEXPECTED_ANSWER"}, {"reset", "transient CONNECTION_LOST"},
        {"refuse", "transient CONNECTION_LOST"}, {"UNAVAILABLE", "transient UNAVAILABLE"}};
    int number = 0; // some responses stop all pushes of the credential
    for (auto const& c : cases)
        CHECK(
            name_of(f.send_with(fcm_credential("project-" + std::to_string(++number)), c.token)) == c.result);
    CHECK(f.fcm.seen("refuse") == 4);
}

TEST_CASE("every documented response of APNs is classified, over real connections", "[push]")
{
    Fixture f;

    struct Case {
        char const *token, *result;
    };

    std::vector<Case> const cases{{"0123456789abcdef", "accepted"}, {"BadDeviceToken", "gone BadDeviceToken"},
        {"DeviceTokenNotForTopic", "gone DeviceTokenNotForTopic"}, {"Unregistered", "gone Unregistered"},
        {"ExpiredToken", "gone ExpiredToken"}, {"PayloadTooLarge", "refused PayloadTooLarge"},
        {"BadTopic", "credential BadTopic"}, {"InvalidProviderToken", "credential InvalidProviderToken"},
        {"TooManyRequests", "throttled TooManyRequests"},
        {"InternalServerError", "transient InternalServerError"}, {"Shutdown", "transient Shutdown"},
        {"BAD_GATEWAY", "transient HTTP_502"}, {"refuse-once", "accepted"}, {"", "gone MissingDeviceToken"},
        {"a/b?c#d e%2F..", "accepted"}};
    int number = 0; // some responses stop all pushes of the credential
    for (auto const& c : cases)
        CHECK(name_of(f.send_with(apns_credential("KEY" + std::to_string(1'000'000 + ++number)), c.token)) ==
              c.result);
    CHECK(f.apns.seen("a/b?c#d e%2F..") == 1);
    auto const since = f.send_apns("Unregistered_at");
    CHECK(name_of(since) == "gone Unregistered");
    CHECK(since.gone_since == core::parse_rfc3339("2016-02-08T16:13:35.990Z"));
    CHECK(f.send_apns("TooManyRequests_later").retry_after == 60s);
    // The Retry-After of one device does not delay others.
    CHECK(name_of(f.send({Fixture::target(Carrier::apns, "0123", 2)}).front()) == "accepted");
}

TEST_CASE("a token of another FCM project never pauses the credential", "[push]")
{
    Fixture f; // no push was accepted before
    CHECK(f.send_fcm("SENDER_ID_MISMATCH").verdict == Verdict::refused);
    CHECK(f.send_fcm("THIRD_PARTY_AUTH_ERROR").verdict == Verdict::refused);
}

TEST_CASE("one access token is fetched for all callers, and a new one before it expires", "[push]")
{
    Fixture f;
    std::vector<std::future<std::vector<PushResult>>> senders;
    for (int i = 0; i < 8; ++i)
        senders.push_back(std::async(std::launch::async,
            [&f, i] { return f.send({Fixture::target(Carrier::fcm, "a:" + std::to_string(i), i)}); }));
    for (auto& sender : senders)
        CHECK(name_of(sender.get().front()) == "accepted");
    CHECK(f.fcm.tokens().at("asked") == 1);
    f.clock.advance(54min);
    CHECK(name_of(f.send_fcm("a:9")) == "accepted");
    CHECK(f.fcm.tokens().at("asked") == 1);
    // Less than five minutes before its end, the token is still used while the next token is fetched.
    f.clock.advance(2min);
    CHECK(name_of(f.send_fcm("a:10")) == "accepted");
    CHECK(eventually([&] { return f.fcm.tokens().at("asked") == 2; }));
    f.clock.advance(10min);
    CHECK(name_of(f.send_fcm("a:11")) == "accepted");
    CHECK(f.fcm.tokens().at("asked") == 2);
}

TEST_CASE("a refused service account stops only its own pushes", "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_with(fcm_credential("other-project"), "a")) == "accepted");
    f.fcm.tokens({{"error", "invalid_grant"}, {"description", "Invalid JWT Signature."}});
    auto const results = f.send({Fixture::target(Carrier::fcm, "a", 1), Fixture::target(Carrier::fcm, "b", 2),
        Fixture::target(Carrier::apns, "aa", 3)});
    CHECK(name_of(results[0]) == "credential invalid_grant: Invalid JWT Signature.");
    CHECK(name_of(results[1]) == "credential invalid_grant: Invalid JWT Signature.");
    CHECK(name_of(results[2]) == "accepted");
    CHECK(name_of(f.send_with(fcm_credential("other-project"), "c")) == "accepted");
    CHECK(f.fcm.seen("b") == 0);
}

TEST_CASE("a token endpoint that is down is a transient failure", "[push]")
{
    Fixture f;
    f.fcm.tokens({{"status", 503}, {"error", "server_error"}});
    auto const failed = f.send_fcm("a");
    CHECK(name_of(failed) == "transient TOKEN_HTTP_503");
    CHECK(failed.untried());
    CHECK(failed.retry_after == 1s);
    CHECK(f.changes().empty()); // the carrier itself is not down
    f.fcm.tokens({});
    CHECK(eventually([&] { return f.send_fcm("a").verdict == Verdict::accepted; }));
}

TEST_CASE("a revoked access token is replaced, and the refused pushes are repeated once", "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_fcm("a")) == "accepted");
    f.fcm.tokens({{"revoke", true}});
    for (auto const& result : f.send(Fixture::androids(50)))
        CHECK(name_of(result) == "accepted");
    CHECK(f.fcm.tokens().at("asked") == 2);
    f.fcm.tokens({{"revoke", true}}); // within a minute: the new token is not replaced
    CHECK(f.send_fcm("b").verdict == Verdict::credential);
    CHECK(f.fcm.seen("b") == 1);
    CHECK(f.fcm.tokens().at("asked") == 2);
}

TEST_CASE("a push that is refused with a new access token, too, refuses the credential", "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_fcm("a")) == "accepted");
    f.fcm.script({{"all", "UNAUTHENTICATED"}});
    CHECK(name_of(f.send_fcm("b")) ==
          "credential UNAUTHENTICATED: Request had invalid authentication credentials.");
    CHECK(f.fcm.seen("b") == 2);
    CHECK(f.fcm.tokens().at("asked") == 2);
}

TEST_CASE("a provider token is used for forty minutes, and is replaced once if Apple reports it as expired",
    "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_apns("aa")) == "accepted");
    f.clock.advance(39min);
    CHECK(name_of(f.send_apns("ab")) == "accepted");
    CHECK(f.apns.tokens().as_array().size() == 1);
    f.clock.advance(1min);
    CHECK(name_of(f.send_apns("ac")) == "accepted");
    auto const made = f.apns.tokens();
    REQUIRE(made.as_array().size() == 2);
    auto const issued = [&](std::size_t i) {
        return made.at(i).at("claims").at("iat").to_number<std::int64_t>();
    };
    CHECK(issued(1) - issued(0) == 40 * 60);

    f.apns.tokens({{"expire", true}});
    CHECK(name_of(f.send_apns("ad")) == "accepted");
    CHECK(f.apns.seen("ad") == 2);
    CHECK(f.apns.tokens().as_array().size() == 3);
    f.apns.tokens({{"expire", true}});
    // There is no third token within 20 minutes.
    CHECK(name_of(f.send_apns("ae")) == "credential ExpiredProviderToken");
    CHECK(f.apns.seen("ae") == 1);
    CHECK(f.apns.tokens().as_array().size() == 3);
    f.clock.advance(20min);
    // The credential was refused. A credential that was stored later is tried at once.
    CHECK(name_of(f.send_with(apns_credential(), "af", {.stored_at = f.clock.now()})) == "accepted");
}

TEST_CASE("each credential has its own provider token", "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_apns("aa")) == "accepted");
    f.send_with(apns_credential("OTHERKEY01"), "ab");
    auto const made = f.apns.tokens();
    REQUIRE(made.as_array().size() == 2);
    CHECK(text(made.at(1).at("header"), "kid") == "OTHERKEY01");
}
