#include "push_fixture.hpp"
#include "support/contexts.hpp"

#include <csignal>
#include <fstream>
#include <future>
#include <set>

using namespace push_test;

namespace {

PushOptions quick_to_give_up()
{
    PushOptions options;
    options.response_timeout = 300ms;
    return options;
}

/// The number of times that each token was accepted; tokens without a push are absent.
std::map<std::string, int> taken(PushServer const& server)
{
    std::map<std::string, int> counts;
    for (auto const& push : server.seen()) {
        if (text(push, "answer") == "ok") ++counts[text(push, "token")];
    }
    return counts;
}

} // namespace

TEST_CASE(
    "pushes above the last stream of a GOAWAY are sent again with the same id, and no other push is repeated",
    "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_apns("aa")) == "accepted"); // now the server allows many streams
    auto const message = f.message();
    std::vector<PushTarget> targets;
    for (int i = 0; i < 40; ++i)
        targets.push_back(
            Fixture::target(Carrier::apns, (i == 20 ? "goaway-once:" : "ok:") + std::to_string(i), i));
    auto const results = send_all(*f.push, {apns_credential()}, message, targets);
    for (auto const& result : results)
        CHECK(name_of(result) == "accepted");
    CHECK(f.apns.connections() == 2);
    std::map<std::string, std::set<std::string>> names;
    for (auto const& push : f.apns.seen())
        names[text(push, "token")].insert(text(push.at("headers"), "apns-id"));
    for (auto const& target : targets) {
        INFO(target.token);
        CHECK(
            names[target.token] == std::set<std::string>{push_id(message->id, target.device_id).to_string()});
    }
    auto const counts = taken(f.apns);
    for (auto const& [token, count] : counts)
        CHECK(count == 1);
    CHECK(counts.size() == 41);
}

TEST_CASE(
    "after a GOAWAY the pushes in flight are finished, and later pushes use another connection", "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_fcm("a")) == "accepted");
    f.fcm.say_goodbye();
    CHECK(eventually([&] { return f.push->stats().connections == 0; }));
    CHECK(name_of(f.send_fcm("b")) == "accepted");
    CHECK(f.fcm.connections() == 2);
}

TEST_CASE("if the connection breaks, the caller repeats a push in flight with the same id", "[push]")
{
    Fixture f;
    auto const message = f.message();
    std::vector const targets{Fixture::target(Carrier::apns, "drop-once", 5)};
    auto const send = [&] { return send_all(*f.push, {apns_credential()}, message, targets).front(); };
    auto const lost = send();
    CHECK(name_of(lost) == "transient CONNECTION_LOST");
    CHECK(lost.counts());
    CHECK(name_of(send()) == "accepted");
    auto const pushes = f.apns.seen();
    REQUIRE(pushes.size() == 2);
    CHECK(text(pushes[0].at("headers"), "apns-id") == text(pushes[1].at("headers"), "apns-id"));
}

TEST_CASE("a missing response is a transient failure", "[push]")
{
    Fixture f({}, quick_to_give_up());
    auto const missing = f.send_fcm("hang");
    CHECK(name_of(missing) == "transient TIMEOUT");
    CHECK(missing.counts());
    CHECK(eventually([&] { return name_of(f.send_fcm("a")) == "accepted"; }));
}

TEST_CASE("a push that has waited until its deadline is not sent", "[push]")
{
    Fixture f({{"streams", 1}}, one_connection());
    Handed first(fcm_credential(), f.message(), Fixture::androids(1, "hang"));
    f.push->send(std::move(first.batch));
    REQUIRE(eventually([&] { return f.fcm.seen().size() == 1; }));
    auto const late = f.send_with(fcm_credential(), "late", {.send_timeout = 50ms});
    CHECK(name_of(late) == "transient NOT_SENT_IN_TIME");
    CHECK(late.untried());
    CHECK(f.fcm.seen().size() == 1);
    f.push.reset(); // ends the first push
}

TEST_CASE("a Retry-After delays all pushes of the credential, and no other pushes", "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_fcm("a")) == "accepted");
    auto const limited = f.send_fcm("QUOTA_EXCEEDED");
    CHECK(name_of(limited) == "throttled QUOTA_EXCEEDED");
    CHECK(limited.retry_after == 60s);
    CHECK_FALSE(limited.counts());
    auto const held = f.send_fcm("b");
    CHECK(name_of(held) == "throttled CARRIER_THROTTLED");
    CHECK(held.untried());
    CHECK(held.retry_after > 30s);
    CHECK(held.retry_after <= 60s);
    CHECK(f.fcm.seen("b") == 0);
    CHECK(name_of(f.send_with(fcm_credential("other-project"), "c")) == "accepted");
    CHECK(name_of(f.send_apns("cc")) == "accepted");
    REQUIRE(eventually(
        [&] { return f.push->status_of(*fcm_credential()).state == CarrierStatus::State::throttled; }));
    CHECK(f.push->status_of(*fcm_credential()).since == f.clock.now());
    CHECK(f.push->status_of(*fcm_credential()).wait > 30s);
    CHECK(f.push->status_of(*fcm_credential("other-project")).state == CarrierStatus::State::ok);
    CHECK(f.push->open_breakers().empty());
}

TEST_CASE("a 429 response of FCM without Retry-After delays the credential for a minute", "[push]")
{
    Fixture f({{"streams", 1}}, one_connection());
    f.fcm.script({{"all", "QUOTA_EXCEEDED_SOON"}});
    auto const results = f.send(Fixture::androids(20));
    CHECK(name_of(results.front()) == "throttled QUOTA_EXCEEDED");
    CHECK_FALSE(results.front().counts());
    for (std::size_t i = 1; i < results.size(); ++i) {
        CHECK(name_of(results[i]) == "throttled CARRIER_THROTTLED");
        CHECK(results[i].untried());
        CHECK(results[i].retry_after == 60s);
    }
    CHECK(f.fcm.pushes() == 1);
}

TEST_CASE("a push that a short Retry-After delays is sent afterwards", "[push]")
{
    Fixture f({{"retryAfter", 1}});
    auto const unavailable = f.send_fcm("UNAVAILABLE");
    CHECK(name_of(unavailable) == "transient UNAVAILABLE");
    CHECK(unavailable.counts());
    auto const held = f.send_fcm("b");
    CHECK(name_of(held) == "throttled CARRIER_THROTTLED");
    CHECK(held.retry_after == 1s);
    CHECK(eventually([&] { return name_of(f.send_fcm("b")) == "accepted"; }));
    CHECK(f.fcm.seen("b") == 1);
}

TEST_CASE("a push that is too large is refused without a request", "[push]")
{
    Fixture f;
    auto const large = std::make_shared<RenderedPush const>(render_push({.id = core::Uuid::v7(),
        .title = {},
        .body = std::string(5'000, 'x'),
        .data = {},
        .created_at = f.clock.now()}));
    auto const results = send_all(*f.push, {fcm_credential(), apns_credential()}, large,
        {Fixture::target(Carrier::fcm, "a"), Fixture::target(Carrier::apns, "aa")});
    CHECK(name_of(results[0]) == "refused PAYLOAD_TOO_LARGE");
    CHECK(name_of(results[1]) == "refused PAYLOAD_TOO_LARGE");
    CHECK(f.fcm.seen().empty());
    CHECK(f.apns.seen().empty());
}

TEST_CASE("a stop request ends the wait within two seconds", "[push]")
{
    Fixture f({{"streams", 2}}, one_connection());
    std::stop_source stop;
    auto results = std::async(std::launch::async, [&] {
        return send_all(*f.push, {fcm_credential()}, f.message(), Fixture::androids(5, "hang"),
            {.send_timeout = 1h, .stop = stop.get_token()});
    });
    REQUIRE(eventually([&] { return f.fcm.seen().size() == 2; }));
    stop.request_stop();
    for (auto const& result : results.get()) {
        CHECK(name_of(result) == "transient STOPPED");
        CHECK(result.untried());
    }
    CHECK(f.fcm.seen().size() == 2);
}

TEST_CASE("the destructor gives all pushes a result", "[push]")
{
    Fixture f({{"streams", 2}}, one_connection());
    Handed handed(fcm_credential(), f.message(), Fixture::androids(5, "hang"));
    f.push->send(std::move(handed.batch));
    REQUIRE(eventually([&] { return f.fcm.seen().size() == 2; }));
    CHECK(f.push->stats().queued == 5);
    f.push.reset();
    for (auto const& result : handed.results.get())
        CHECK(name_of(result) == "transient STOPPED");
}

TEST_CASE("a batch beyond max_queued is refused at once", "[push]")
{
    PushOptions options;
    options.max_queued = 10;
    Fixture f({}, options);
    Handed first(fcm_credential(), f.message(), Fixture::androids(8, "hang")),
        second(fcm_credential(), f.message(), Fixture::androids(3));
    f.push->send(std::move(first.batch));
    f.push->send(std::move(second.batch));
    for (auto const& result : second.results.get())
        CHECK(name_of(result) == "transient BUSY");
    f.push.reset();
}

TEST_CASE("a credential beyond max_clients replaces the credential that was idle longest", "[push]")
{
    PushOptions options;
    options.max_clients = 2;
    Fixture f({}, options);
    auto const send_under = [&](std::string const& key) {
        CHECK(name_of(f.send_with(apns_credential(key), "aa")) == "accepted");
    };
    send_under("KEY0000001");
    send_under("KEY0000002");
    send_under("KEY0000001");
    CHECK(f.apns.connections() == 2);
    send_under("KEY0000003"); // replaces the second credential
    CHECK(f.apns.connections() == 3);
    send_under("KEY0000001");
    CHECK(f.apns.connections() == 3);
    send_under("KEY0000002"); // replaces the third credential
    CHECK(f.apns.connections() == 4);
    CHECK(eventually([&] { return f.push->stats().connections == 2; }));
}

TEST_CASE("a credential with pushes in flight is not replaced", "[push]")
{
    PushOptions options;
    options.max_clients = 1;
    options.response_timeout = 1min;
    Fixture f({}, options);
    Handed first(fcm_credential(), f.message(), Fixture::androids(1, "hang"));
    f.push->send(std::move(first.batch));
    REQUIRE(eventually([&] { return f.fcm.pushes() == 1; }));
    CHECK(name_of(f.send_apns("aa")) == "transient BUSY");
    CHECK(f.push->stats().queued == 1);
    f.fcm.process().signal(SIGKILL);
    CHECK(name_of(first.results.get().front()) == "transient CONNECTION_LOST");
    CHECK(eventually([&] { return f.send_apns("aa").verdict == Verdict::accepted; }));
}

TEST_CASE("thousands of pushes in several batches reach each device once", "[push]")
{
    Fixture f;
    std::vector<Handed> batches;
    for (int i = 0; i < 8; ++i)
        batches.emplace_back(fcm_credential(), f.message(),
            Fixture::androids(500, "batch" + std::string(1, static_cast<char>('a' + i))));
    for (auto& handed : batches) {
        handed.batch->bulk = true;
        handed.batch->keep_provider_ids = false;
        f.push->send(std::move(handed.batch));
    }
    for (auto& handed : batches) {
        for (auto const& result : handed.results.get()) {
            CHECK(result.verdict == Verdict::accepted);
            CHECK(result.provider_id.empty());
        }
    }
    CHECK(f.push->stats().queued == 0);
    auto const pushes = f.fcm.seen();
    std::set<std::string> tokens;
    for (auto const& push : pushes)
        tokens.insert(text(push, "token"));
    CHECK(pushes.size() == 4'000);
    CHECK(tokens.size() == 4'000);
    CHECK(f.fcm.tokens().at("asked") == 1);
}

TEST_CASE("a push can be awaited by a coroutine", "[push]")
{
    Fixture f;
    testing::Contexts contexts(1);
    auto const result = contexts.await(
        f.push->send_one(fcm_credential(), f.message(), Fixture::target(Carrier::fcm, "UNREGISTERED"), 30s));
    CHECK(name_of(result) == "gone UNREGISTERED");
    CHECK_THROWS_AS(contexts.await(f.push->send_one(
                        fcm_credential(), f.message(), Fixture::target(Carrier::apns, "aa"), 30s)),
        std::invalid_argument);
}

TEST_CASE("a push needs a credential of its carrier", "[push]")
{
    Fixture f;
    Handed handed(fcm_credential(), f.message(), {Fixture::target(Carrier::apns, "aa")});
    CHECK_THROWS_AS(f.push->send(std::move(handed.batch)), std::invalid_argument);
    CHECK(send_all(*f.push, {fcm_credential()}, f.message(), {}).empty());
}

TEST_CASE("an FCM message equals the message of firebase-admin", "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_fcm("a")) == "accepted"); // an access token has been fetched
    std::string const bearer = text(f.fcm.seen().at(0).at("headers"), "authorization");
    auto const id = core::Uuid::v7();
    std::string const name = id.to_string();
    std::string topic = name;
    std::erase(topic, '-');
    std::vector<std::pair<std::string, std::string>> const data{{"order", "7"}};
    PushSettings const options{.ttl_seconds = 3'600,
        .priority = PushPriority::normal,
        .collapse_key = "order-7",
        .image = "https://example.com/7.png",
        .link = {},
        .badge = 3,
        .sound = "bell",
        .channel_id = "orders",
        .background = {}};
    std::string option_topic;
    for (auto const& settings : {PushSettings(), options}) {
        auto const ours = std::make_shared<RenderedPush const>(render_push({.id = id,
            .title = "Title \"x\"",
            .body = "Body\n✓",
            .data = data,
            .created_at = f.clock.now(),
            .settings = settings}));
        option_topic = ours->topic;
        send_all(*f.push, {fcm_credential()}, ours, {Fixture::target(Carrier::fcm, "the:token")});
    }

    json::object const texts{{"title", "Title \"x\""}, {"body", "Body\n✓"}};
    json::object const plain{{"token", "the:token"}, {"notification", texts},
        {"data", {{"notificationId", name}, {"order", "7"}}},
        {"android", {{"priority", "high"}, {"notification", {{"tag", name}}}}},
        {"webpush",
            {{"headers", {{"Topic", topic}, {"Urgency", "high"}}}, {"notification", {{"tag", name}}}}}};
    json::object const with_options{{"token", "the:token"}, {"notification", texts},
        {"data", {{"notificationId", name}, {"order", "7"}, {"image", *options.image}}},
        {"android", {{"priority", "normal"}, {"ttl", 3'600'000},
                        {"notification", {{"tag", "order-7"}, {"imageUrl", *options.image}, {"sound", "bell"},
                                             {"channelId", "orders"}, {"notificationCount", 3}}}}},
        {"webpush", {{"headers", {{"Topic", option_topic}, {"Urgency", "normal"}, {"TTL", "3600"}}},
                        {"notification", {{"tag", "order-7"}, {"image", *options.image}}}}}};
    testing::TemporaryDirectory const folder("firebase-admin");
    std::string const file = folder.path() + "/messages.json";
    std::ofstream(file) << json::serialize(json::array{plain, with_options});
    std::string const token = bearer.substr(std::string_view("Bearer ").size());
    auto const said = testing::output_of(
        {"node", NPM_FOLDER "/firebase_admin.mjs", f.fcm.url(), token, file}, std::chrono::minutes(2));
    INFO(said);
    auto const pushes = f.fcm.seen();
    REQUIRE(pushes.size() == 5);
    for (std::size_t const i : {std::size_t{1}, std::size_t{2}}) {
        bool const swapped = pushes[3].at("body") != pushes[1].at("body"); // the package sends both at once
        auto const& theirs = pushes[swapped ? 5 - i : 2 + i];
        CHECK(text(theirs, "answer") == "ok");
        CHECK(pushes[i].at("body") == theirs.at("body"));
    }
    auto const results = json::parse(said);
    for (auto const& result : results.as_array())
        CHECK(result.at("success").as_bool());
}
