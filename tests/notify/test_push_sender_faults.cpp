#include "push_fixture.hpp"
#include "support/contexts.hpp"

#include <csignal>
#include <fstream>
#include <future>
#include <set>
#include <thread>

using namespace push_test;

namespace {

PushOptions quick_to_give_up()
{
    PushOptions options;
    options.response_timeout = 300ms;
    return options;
}

std::vector<PushTarget> androids(int count, std::string const& name = "ok")
{
    std::vector<PushTarget> targets;
    for (int i = 0; i < count; ++i)
        targets.push_back(Fixture::target(Carrier::fcm, name + ":" + std::to_string(i), i));
    return targets;
}

/// A batch, and a future for its results.
struct Handed {
    std::unique_ptr<PushBatch> batch = std::make_unique<PushBatch>();
    std::future<std::vector<PushResult>> results;

    Handed(SharedPush push, std::vector<PushTarget> targets)
    {
        batch->credential = fcm_credential();
        batch->push = std::move(push);
        batch->targets = std::move(targets);
        batch->deadline = std::chrono::steady_clock::now() + 1min;
        auto const promise = std::make_shared<std::promise<std::vector<PushResult>>>();
        results = promise->get_future();
        batch->done = [promise](
                          std::unique_ptr<PushBatch> done) { promise->set_value(std::move(done->results)); };
    }
};

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
    auto const results = f.push->send_all({{}, apns_credential()}, message, targets, 30s);
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
    CHECK(name_of(f.push->send_all({{}, apns_credential()}, message, targets, 30s).front()) ==
          "transient CONNECTION_LOST");
    CHECK(name_of(f.push->send_all({{}, apns_credential()}, message, targets, 30s).front()) == "accepted");
    auto const pushes = f.apns.seen();
    REQUIRE(pushes.size() == 2);
    CHECK(text(pushes[0].at("headers"), "apns-id") == text(pushes[1].at("headers"), "apns-id"));
}

TEST_CASE("pushes to an unreachable carrier fail, and the other carrier works", "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_fcm("a")) == "accepted");
    PushOptions options;
    options.fcm_base_url = "http://127.0.0.1:" + std::to_string(testing::free_port());
    options.fcm_token_url = f.fcm.token_url();
    options.apns_base_url = f.apns.url();
    PushSender push(options, f.client, f.clock, f.logger);
    auto const results = push.send_all({fcm_credential(), apns_credential()}, f.message(),
        std::vector{Fixture::target(Carrier::fcm, "b"), Fixture::target(Carrier::apns, "bb")}, 30s);
    CHECK(name_of(results[0]) == "transient CONNECT_FAILED");
    CHECK(name_of(results[1]) == "accepted");
}

TEST_CASE("a missing response is a transient failure", "[push]")
{
    Fixture f({}, quick_to_give_up());
    CHECK(name_of(f.send_fcm("hang")) == "transient TIMEOUT");
    CHECK(eventually([&] { return name_of(f.send_fcm("a")) == "accepted"; }));
}

TEST_CASE("a push that has waited until its deadline is not sent", "[push]")
{
    Fixture f({{"streams", 1}});
    std::jthread const first(
        [&] { f.push->send_all({fcm_credential(), {}}, f.message(), androids(1, "hang"), 30s); });
    REQUIRE(eventually([&] { return f.fcm.seen().size() == 1; }));
    CHECK(name_of(f.push->send_all({fcm_credential(), {}}, f.message(), androids(1), 50ms).front()) ==
          "transient NOT_SENT_IN_TIME");
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
    auto const held = f.send_fcm("b");
    CHECK(name_of(held) == "throttled QUOTA_EXCEEDED");
    CHECK(held.retry_after > 30s);
    CHECK(f.fcm.seen("b") == 0);
    CHECK(name_of(f.push
                  ->send_all({fcm_credential("other-project"), {}}, f.message(),
                      std::vector{Fixture::target(Carrier::fcm, "c")}, 30s)
                  .front()) == "accepted");
    CHECK(name_of(f.send_apns("cc")) == "accepted");
}

TEST_CASE("a push that a short Retry-After delays is sent afterwards", "[push]")
{
    Fixture f({{"retryAfter", 1}});
    CHECK(name_of(f.send_fcm("UNAVAILABLE")) == "transient UNAVAILABLE");
    CHECK(name_of(f.send_fcm("b")) == "accepted");
}

TEST_CASE("a push that is too large is refused without a request", "[push]")
{
    Fixture f;
    auto const large = std::make_shared<RenderedPush const>(render_push({.id = core::Uuid::v7(),
        .title = {},
        .body = std::string(5'000, 'x'),
        .data = {},
        .created_at = f.clock.now()}));
    auto const results = f.push->send_all({fcm_credential(), apns_credential()}, large,
        std::vector{Fixture::target(Carrier::fcm, "a"), Fixture::target(Carrier::apns, "aa")}, 30s);
    CHECK(name_of(results[0]) == "refused PAYLOAD_TOO_LARGE");
    CHECK(name_of(results[1]) == "refused PAYLOAD_TOO_LARGE");
    CHECK(f.fcm.seen().empty());
    CHECK(f.apns.seen().empty());
}

TEST_CASE("a stop request ends the wait within two seconds", "[push]")
{
    Fixture f({{"streams", 2}});
    std::stop_source stop;
    auto results = std::async(std::launch::async, [&] {
        return f.push->send_all(
            {fcm_credential(), {}}, f.message(), androids(5, "hang"), 1h, stop.get_token());
    });
    REQUIRE(eventually([&] { return f.fcm.seen().size() == 2; }));
    stop.request_stop();
    for (auto const& result : results.get())
        CHECK(name_of(result) == "transient STOPPED");
    CHECK(f.fcm.seen().size() == 2);
}

TEST_CASE("the destructor gives all pushes a result", "[push]")
{
    Fixture f({{"streams", 2}});
    Handed handed(f.message(), androids(5, "hang"));
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
    Handed first(f.message(), androids(8, "hang")), second(f.message(), androids(3));
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
        auto const results = f.push->send_all(
            {{}, apns_credential(key)}, f.message(), std::vector{Fixture::target(Carrier::apns, "aa")}, 30s);
        CHECK(name_of(results.front()) == "accepted");
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
    Handed first(f.message(), androids(1, "hang"));
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
        batches.emplace_back(
            f.message(), androids(500, "batch" + std::string(1, static_cast<char>('a' + i))));
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
    CHECK_THROWS_AS(f.push->send_all({fcm_credential(), {}}, f.message(),
                        std::vector{Fixture::target(Carrier::apns, "aa")}, 30s),
        std::invalid_argument);
    Handed handed(f.message(), {Fixture::target(Carrier::apns, "aa")});
    CHECK_THROWS_AS(f.push->send(std::move(handed.batch)), std::invalid_argument);
    CHECK(f.push->send_all({}, f.message(), {}, 30s).empty());
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
    auto const ours = std::make_shared<RenderedPush const>(render_push(
        {.id = id, .title = "Title \"x\"", .body = "Body\n✓", .data = data, .created_at = f.clock.now()}));
    f.push->send_all(
        {fcm_credential(), {}}, ours, std::vector{Fixture::target(Carrier::fcm, "the:token")}, 30s);

    json::object const theirs{{"token", "the:token"},
        {"notification", {{"title", "Title \"x\""}, {"body", "Body\n✓"}}},
        {"data", {{"notificationId", name}, {"order", "7"}}},
        {"android", {{"collapseKey", name}, {"priority", "high"}, {"notification", {{"tag", name}}}}},
        {"webpush",
            {{"headers", {{"Topic", topic}, {"Urgency", "high"}}}, {"notification", {{"tag", name}}}}}};
    testing::TemporaryDirectory const folder("firebase-admin");
    std::string const file = folder.path() + "/messages.json";
    std::ofstream(file) << json::serialize(json::array{theirs});
    std::string const token = bearer.substr(std::string_view("Bearer ").size());
    auto const said = testing::output_of(
        {"node", NPM_FOLDER "/firebase_admin.mjs", f.fcm.url(), token, file}, std::chrono::minutes(2));
    INFO(said);
    auto const pushes = f.fcm.seen();
    REQUIRE(pushes.size() == 3);
    CHECK(text(pushes[2], "answer") == "ok");
    CHECK(pushes[1].at("body") == pushes[2].at("body"));
    CHECK(json::parse(said).at(0).at("success").as_bool());
}
