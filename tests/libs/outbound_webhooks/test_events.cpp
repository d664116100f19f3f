#include "testing_events.hpp"

using namespace webhooks_test;
using testing::eventually;

namespace {

/// The code of an error, and its Retry-After.
std::pair<std::string, std::string> refusal(core::Error const& error)
{
    for (auto const& [name, value] : error.headers())
        if (name == "Retry-After") return {std::string(error.code().name), value};
    return {std::string(error.code().name), ""};
}

} // namespace

TEST_CASE("a test sends a signed event at once and returns the result")
{
    Tests f;
    Receiver const receiver([](Received const&) { return reply(202, "thanks"); });
    f.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    // A webhook gets the event although it subscribes to other types only.
    auto const hook = f.create(receiver.url("/hook"), R"(,"events":["item.created"])");
    auto const result = f.test(hook.id);

    auto const requests = receiver.received();
    REQUIRE(requests.size() == 1);
    auto const& r = requests[0];
    CHECK(r.method == "POST");
    CHECK(r.target == "/hook");
    CHECK(r.headers.at("content-type") == "application/json");
    CHECK(r.headers.at("traceparent") == f.traceparent);
    CHECK(r.headers.at("webhook-timestamp") == "1767225600");
    CHECK(r.body == R"({"type":"webhook.test","timestamp":"2026-01-01T00:00:00.000Z","data":{"webhookId":")" +
                        hook.id + R"("}})");
    CHECK(is_signed(r, hook.secret));
    CHECK_FALSE(is_signed(r, hook.secret, 1));

    CHECK(result.at("status") == "delivered");
    CHECK(result.at("messageId") == json::value(r.headers.at("webhook-id")));
    CHECK(result.at("durationMs").as_int64() >= 0);
    CHECK(result.at("responseCode") == 202);
    CHECK(result.at("error").is_null());
    CHECK(result.at("responseExcerpt") == "thanks");
    CHECK(result.size() == 6);

    CHECK(f.count("webhook_deliveries") == 0);
    CHECK(f.count("jobs") == 0);
    CHECK(f.count("audit_log WHERE action = 'webhook.tested' AND subject_id = '" + hook.id +
                  "' AND after ->> 'messageId' = '" + r.headers.at("webhook-id") + "'") == 1);
    CHECK(f.statuses == std::vector<unsigned>{202});
    CHECK(f.sender.in_flight() == 0);
}

TEST_CASE("for a day after a rotation, tests are signed with the old and the new secret")
{
    Tests f;
    Receiver const receiver([](Received const&) { return reply(204); });
    auto const hook = f.create(receiver.url());
    auto const rotated =
        json::parse(f.call(outbound_webhooks::rotate_webhook_secret, {}, {{"webhookId", hook.id}}).body);
    auto const fresh = std::string(rotated.at("secret").as_string());
    f.test(hook.id);
    CHECK(is_signed(receiver.received().back(), fresh, 0));
    CHECK(is_signed(receiver.received().back(), hook.secret, 1));
    f.clock.advance(outbound_webhooks::rotation_overlap);
    f.test(hook.id);
    CHECK(is_signed(receiver.received().back(), fresh, 0));
    CHECK_FALSE(is_signed(receiver.received().back(), hook.secret, 1));
}

TEST_CASE("a test that fails returns the reason and does not change the webhook")
{
    Tests f;
    std::string answer;
    Receiver const receiver([&](Received const&) { return answer; });
    auto const hook = f.create(receiver.url("/hook"));
    auto const before = f.get(hook.id);

    struct Case {
        std::string answer;
        json::value code, error, excerpt;
    };

    for (auto const& [bytes, code, error, excerpt] :
        {Case{reply(500, "oops"), 500, "the endpoint answered 500", "oops"},
            Case{reply(410), 410, "the endpoint answered 410", nullptr},
            Case{reply(302, "", "Location: " + receiver.url("/elsewhere") + "\r\n"), 302,
                "the endpoint answered 302", nullptr},
            Case{reply(400, std::string("a\0b", 3)), 400, "the endpoint answered 400", "a?b"},
            Case{"garbage\r\n\r\n", nullptr, "the answer was not HTTP", nullptr},
            Case{"", nullptr, "the answer was not HTTP", nullptr}}) {
        CAPTURE(bytes);
        answer = bytes;
        auto const result = f.test(hook.id);
        CHECK(result.at("status") == "failed");
        CHECK(result.at("responseCode") == code);
        CHECK(result.at("error") == error);
        CHECK(result.at("responseExcerpt") == excerpt);
    }
    for (auto const& request : receiver.received()) // no redirect was followed
        CHECK(request.target == "/hook");
    CHECK(f.get(hook.id) == before);
    CHECK(f.count("webhooks WHERE accepted_at IS NOT NULL") == 0);
    CHECK(f.statuses == std::vector<unsigned>{500, 410, 302, 400, 0, 0});
}

TEST_CASE("a test of an unreachable endpoint reveals no details of the internal network")
{
    Tests f;
    auto const unreachable = f.create("http://127.0.0.1:1/").id;
    auto const nameless = f.create("http://no-such-host.invalid/").id;
    CHECK(f.test(unreachable).at("error") == "no connection could be made");
    CHECK(f.test(nameless).at("error") == "the host name could not be resolved");
    CHECK(f.test(nameless).at("responseCode").is_null());
}

TEST_CASE("a test checks addresses as a delivery does")
{
    Tests f;
    Receiver const receiver([](Received const&) { return reply(204); });
    auto const port = std::to_string(receiver.port());
    http_client::AsyncClient strict({.addresses = http_client::AddressPolicy(false)});
    outbound_webhooks::TestSender sender(
        {.keyring = f.keyring, .client = strict, .limiter = f.limiter, .clock = f.clock});
    f.api.tests = &sender;
    for (std::string const host : {"localhost", "127.0.0.1", "[::ffff:127.0.0.1]"}) {
        CAPTURE(host);
        auto const result = f.test(f.create("http://" + host + ':' + port + '/').id);
        CHECK(result.at("status") == "failed");
        CHECK(result.at("responseCode").is_null());
        CHECK(result.at("error") == "the host's address is not allowed");
    }
    CHECK(receiver.connections() == 0);
}

TEST_CASE("a disabled webhook can be tested")
{
    Tests f;
    Receiver const receiver([](Received const&) { return reply(204); });
    auto const id = f.create(receiver.url(), R"(,"enabled":false)").id;
    CHECK(f.test(id).at("status") == "delivered");
    CHECK(f.get(id).at("enabled") == false);
}

TEST_CASE("an unknown webhook, or one of another scope, cannot be tested")
{
    Tests f;
    Receiver const receiver([](Received const&) { return reply(204); });
    auto const id = f.create(receiver.url()).id;
    f.scope = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "demo");
    for (int i = 0; i < 20; ++i) // these requests do not count as tests
        for (auto const& name : {id, core::Uuid::v7().to_string(), std::string("not-a-uuid")})
            CHECK(refusal(f.error_of_test(name)).first == "NOT_FOUND");
    CHECK(receiver.connections() == 0);
    CHECK(f.count("audit_log WHERE action = 'webhook.tested'") == 0);
}

TEST_CASE("a webhook has one test in flight, an environment three, and a tenant four")
{
    Tests f;
    testing::HeldReceiver held;
    auto const production = f.scope;
    auto const sandbox = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "demo");
    std::vector<std::string> ids;
    ids.reserve(4);
    for (int i = 0; i < 4; ++i)
        ids.push_back(f.create(held.receiver.url()).id);
    std::vector<http::Request> requests;
    for (std::size_t i = 0; i < 3; ++i)
        requests.push_back(f.request_for(ids[i]));
    f.scope = sandbox;
    auto const in_sandbox = f.create(held.receiver.url()).id, second = f.create(held.receiver.url()).id;
    requests.push_back(f.request_for(in_sandbox));
    f.scope = core::Scope::of(core::TenantId{9}, core::Environment::production, "other");
    auto const of_other = f.create(held.receiver.url()).id;
    requests.push_back(f.request_for(of_other));

    std::vector<std::future<http::Response>> running;
    for (std::size_t i = 0; i < 3; ++i) {
        running.push_back(f.start(requests[i]));
        REQUIRE(eventually([&] { return held.gate.arrived() == i + 1; }));
        f.scope = production;
        CHECK(refusal(f.error_of_test(ids[i])) == std::pair<std::string, std::string>("RATE_LIMITED", "1"));
    }
    CHECK(refusal(f.error_of_test(ids[3])).first == "RATE_LIMITED");
    running.push_back(f.start(requests[3]));
    REQUIRE(eventually([&] { return held.gate.arrived() == 4; }));
    f.scope = sandbox;
    CHECK(refusal(f.error_of_test(second)).first == "RATE_LIMITED");
    running.push_back(f.start(requests[4])); // another tenant's
    REQUIRE(eventually([&] { return held.gate.arrived() == 5; }));
    CHECK(f.sender.in_flight() == 5);

    held.gate.open();
    for (auto& one : running)
        CHECK(one.get().status == 200);
    CHECK(f.sender.in_flight() == 0);
    CHECK(f.test(second).at("status") == "delivered");
}

TEST_CASE("an environment can start ten tests within a minute")
{
    Tests f;
    Receiver const receiver([](Received const&) { return reply(500); });
    auto const id = f.create(receiver.url()).id;
    for (int i = 0; i < 10; ++i)
        f.test(id);
    auto const [code, seconds] = refusal(f.error_of_test(id));
    CHECK(code == "RATE_LIMITED");
    CHECK(std::stoi(seconds) > 30);
    CHECK(std::stoi(seconds) <= 60);
    CHECK(receiver.received().size() == 10);
    CHECK(f.count("audit_log WHERE action = 'webhook.tested'") == 10);
    // A new webhook does not help, but another environment has its own limit.
    CHECK(refusal(f.error_of_test(f.create(receiver.url()).id)).first == "RATE_LIMITED");
    auto const production = f.scope;
    f.scope = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "demo");
    f.test(f.create(receiver.url()).id);
    f.scope = production;
    // Redis forgets the tests after a minute.
    f.fixture.await(f.limiter.forget(core::to_string(f.scope.id) + ":webhook_tests", 1min));
    f.test(id);
}
