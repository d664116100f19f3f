#include "push_fixture.hpp"

#include <algorithm>

using namespace push_test;

namespace {

/// A server that answers one push after another, so that the order of its answers is certain.
json::object one_by_one()
{
    return {{"streams", 1}};
}

std::int64_t count_handed_out(std::vector<PushResult> const& results)
{
    return std::ranges::count_if(results, &PushResult::handed_out);
}

/// Whether the push was not sent because its carrier is down. It is sent again when a probe may be due.
bool is_kept(PushResult const& result)
{
    return name_of(result) == "transient CARRIER_DOWN" && result.untried() && !result.handed_out &&
           result.retry_after >= 1s && result.retry_after <= 30s;
}

CarrierStatus::State state_of(PushSender const& push, Credential::Ptr const& credential)
{
    return push.status_of(*credential).state;
}

using State = CarrierStatus::State;
using Changes = std::vector<std::string>;

/// Sends batches of `count` pushes until the server has received another push, a probe. Returns the results
/// of the batch with the probe.
std::vector<PushResult> send_probe(Fixture& f, int count)
{
    auto const before = f.fcm.pushes();
    std::vector<PushResult> results;
    REQUIRE(eventually([&] {
        results = f.send(Fixture::androids(count));
        return f.fcm.pushes() > before;
    }));
    return results;
}

/// Opens the breaker of FCM: the server answers five pushes with an error of the server.
std::vector<PushResult> open_breaker(Fixture& f, char const* answer = "INTERNAL")
{
    f.fcm.script({{"all", answer}});
    auto results = f.send(Fixture::androids(20));
    CHECK(f.fcm.pushes() == 5);
    CHECK(f.changes() == Changes{"fcm down"});
    return results;
}

} // namespace

TEST_CASE("a carrier that does not connect is down at once, for all credentials, and the other carrier works",
    "[push]")
{
    Fixture f;
    PushOptions options;
    options.fcm_base_url = "http://127.0.0.1:" + std::to_string(testing::free_port());
    options.fcm_token_url = f.fcm.token_url();
    options.apns_base_url = f.apns.url();
    f.push.emplace(options, f.client, nullptr, f.clock, f.logger, f.observers());
    auto targets = Fixture::androids(20);
    targets.push_back(Fixture::target(Carrier::apns, "bb"));
    auto const results = f.send(targets);
    for (std::size_t i = 0; i < 20; ++i)
        CHECK(is_kept(results[i]));
    CHECK(name_of(results[20]) == "accepted");
    CHECK(f.changes() == Changes{"fcm down"});
    CHECK(is_kept(f.send_with(fcm_credential("other-project"), "c")));
    CHECK(state_of(*f.push, fcm_credential()) == State::down);
    CHECK(state_of(*f.push, fcm_credential("other-project")) == State::down);
    CHECK(f.push->status_of(*fcm_credential()).since == f.clock.now());
    CHECK(state_of(*f.push, apns_credential()) == State::ok);
    auto const open = f.push->open_breakers();
    REQUIRE(open.size() == 1);
    CHECK(open[0].carrier == Carrier::fcm);
    CHECK(open[0].origin == options.fcm_base_url);
}

TEST_CASE("a carrier that connects again gets one push, and then all pushes", "[push]")
{
    Fixture f;
    auto const port = testing::free_port();
    PushOptions options;
    options.fcm_base_url = f.fcm.url();
    options.fcm_token_url = f.fcm.token_url();
    options.apns_base_url = "http://127.0.0.1:" + std::to_string(port);
    f.push.emplace(options, f.client, nullptr, f.clock, f.logger, f.observers());
    CHECK(is_kept(f.send_apns("aa")));
    CHECK(state_of(*f.push, apns_credential()) == State::down);
    CHECK(name_of(f.send_fcm("a")) == "accepted");

    PushServer const revived("apns.mjs", {{"publicKey", p256().public_pem}, {"port", port}});
    std::vector<PushTarget> const targets{Fixture::target(Carrier::apns, "aa", 1),
        Fixture::target(Carrier::apns, "bb", 2), Fixture::target(Carrier::apns, "cc", 3)};
    std::vector<PushResult> results;
    REQUIRE(eventually([&] {
        results = f.send(targets);
        return !is_kept(results.front());
    }));
    CHECK(name_of(results.front()) == "accepted");
    CHECK(results.front().counts());
    // The others wait in the queue for the answer to the probe, but only for a moment.
    CHECK(std::ranges::all_of(
        results, [](auto const& result) { return result.verdict == Verdict::accepted || is_kept(result); }));
    CHECK(revived.pushes() == count_handed_out(results));
    for (auto const& result : f.send(targets))
        CHECK(name_of(result) == "accepted");
    CHECK(f.changes() == Changes{"apns down", "apns up"});
    CHECK(state_of(*f.push, apns_credential()) == State::ok);
    CHECK(f.push->open_breakers().empty());
}

TEST_CASE("a carrier that answers with errors of the server gets nothing but one probe at a time", "[push]")
{
    Fixture f(one_by_one(), one_connection());
    auto const first = open_breaker(f);
    CHECK(count_handed_out(first) == 5);
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (i < 5) {
            CHECK(name_of(first[i]) == "transient INTERNAL");
            CHECK(first[i].counts());
        } else {
            CHECK(is_kept(first[i]));
        }
    }

    auto const failed = send_probe(f, 20);
    CHECK(f.fcm.pushes() == 6);
    CHECK(count_handed_out(failed) == 1);
    CHECK(name_of(failed[0]) == "transient INTERNAL");
    CHECK(failed[0].probe);
    CHECK(failed[0].untried());
    CHECK(std::ranges::all_of(failed.begin() + 1, failed.end(), is_kept));
    CHECK(is_kept(f.send_fcm("a"))); // the next probe is due later
    CHECK(f.fcm.pushes() == 6);

    f.fcm.script({{"all", nullptr}});
    auto const answered = send_probe(f, 20);
    CHECK(name_of(answered.front()) == "accepted");
    CHECK(answered.front().counts());
    CHECK(f.fcm.pushes() == 6 + count_handed_out(answered));
    for (auto const& result : f.send(Fixture::androids(20)))
        CHECK(name_of(result) == "accepted");
    CHECK(f.changes() == Changes{"fcm down", "fcm up"});
}

TEST_CASE("any answer to a probe shows that the carrier works", "[push]")
{
    Fixture f(one_by_one(), one_connection());
    open_breaker(f);
    f.fcm.script({{"all", "UNREGISTERED"}});
    auto const result = send_probe(f, 3).front();
    CHECK(name_of(result) == "gone UNREGISTERED");
    CHECK(result.counts());
    CHECK(f.changes() == Changes{"fcm down", "fcm up"});
}

TEST_CASE("a carrier that does not respond gets nothing but one probe at a time", "[push]")
{
    Fixture f(one_by_one(), one_connection(300ms));
    auto const first = open_breaker(f, "hang");
    CHECK(count_handed_out(first) == 5);
    CHECK(name_of(first[4]) == "transient TIMEOUT");
    CHECK(first[4].counts());
    CHECK(is_kept(first[5]));
    CHECK(name_of(f.send_apns("aa")) == "accepted");

    // While the probe waits for its response, no other push is sent.
    std::vector<std::future<std::vector<PushResult>>> batches;
    REQUIRE(eventually([&] {
        Handed handed(fcm_credential(), f.message(), Fixture::androids(3));
        f.push->send(std::move(handed.batch));
        batches.push_back(std::move(handed.results));
        return f.fcm.pushes() == 6;
    }));
    CHECK(is_kept(f.send_fcm("a")));
    std::int64_t probes = 0;
    for (auto& batch : batches) {
        for (auto const& result : batch.get()) {
            CHECK(result.untried());
            probes += result.probe ? 1 : 0;
        }
    }
    CHECK(probes == 1);
    CHECK(f.fcm.pushes() == 6);

    f.fcm.script({{"all", nullptr}});
    CHECK(name_of(send_probe(f, 1).front()) == "accepted");
    CHECK(f.changes() == Changes{"fcm down", "fcm up"});
}

TEST_CASE("a carrier that closes its connections is down", "[push]")
{
    Fixture f(one_by_one(), one_connection());
    auto const results = open_breaker(f, "drop");
    CHECK(count_handed_out(results) == 5);
    CHECK(name_of(results[0]) == "transient CONNECTION_LOST");
    CHECK(results[0].counts());
    CHECK(is_kept(results[5]));
    f.fcm.script({{"all", nullptr}});
    CHECK(name_of(send_probe(f, 1).front()) == "accepted");
}

TEST_CASE("the pushes of all credentials are kept when a carrier is down", "[push]")
{
    Fixture f(one_by_one(), one_connection());
    CHECK(name_of(f.send_with(fcm_credential("project-1"), "a")) == "accepted");
    CHECK(name_of(f.send_with(fcm_credential("project-2"), "a")) == "accepted");
    f.fcm.script({{"all", "INTERNAL"}, {"delay", 20}});
    std::vector<Handed> both;
    for (auto const* project : {"project-1", "project-2"}) {
        both.emplace_back(fcm_credential(project), f.message(), Fixture::androids(20));
        f.push->send(std::move(both.back().batch));
    }
    std::int64_t sent = 0;
    for (auto& handed : both) {
        for (auto const& result : handed.results.get()) {
            sent += result.handed_out ? 1 : 0;
            CHECK((result.handed_out ? name_of(result) == "transient INTERNAL" : is_kept(result)));
        }
    }
    CHECK(sent >= 5); // up to five of one credential, if it is faster, and two of the other one
    CHECK(sent <= 7);
    CHECK(f.fcm.pushes() == 2 + sent);
}

TEST_CASE("errors of APNs do not concern FCM", "[push]")
{
    Fixture f;
    CHECK(name_of(f.send_apns("aa")) == "accepted");
    f.apns.script({{"all", "InternalServerError"}});
    REQUIRE(eventually([&] { return is_kept(f.send_apns("bb")); }));
    CHECK(f.apns.pushes() == 6);
    CHECK(f.changes() == Changes{"apns down"});
    CHECK(name_of(f.send_fcm("a")) == "accepted");
    CHECK(state_of(*f.push, fcm_credential()) == State::ok);
    f.apns.script({{"all", nullptr}});
    CHECK(eventually([&] { return name_of(f.send_apns("cc")) == "accepted"; }));
}

TEST_CASE("a carrier that throttles is not down", "[push]")
{
    Fixture f(one_by_one(), one_connection());
    f.fcm.script({{"all", "QUOTA_EXCEEDED"}});
    for (auto const* project : {"project-1", "project-2", "project-3", "project-4", "project-5", "project-6"})
        CHECK(f.send_with(fcm_credential(project), "a").verdict == Verdict::throttled);
    CHECK(f.fcm.pushes() == 6);
    CHECK(f.changes().empty());
}

TEST_CASE("a carrier that says goodbye on all connections is not down", "[push]")
{
    Fixture f(one_by_one());
    f.fcm.script({{"delay", 1'000}});
    for (auto const& result : f.send(Fixture::androids(8)))
        CHECK(name_of(result) == "accepted");
    REQUIRE(f.fcm.connections() >= 5);
    f.fcm.script({{"delay", 0}});
    f.fcm.say_goodbye();
    CHECK(eventually([&] { return f.push->stats().connections == 0; }));
    CHECK(name_of(f.send_fcm("a")) == "accepted");
    CHECK(f.changes().empty());
}

TEST_CASE("an answer to another credential's push ends the wait for a probe", "[push]")
{
    Fixture f(one_by_one(), one_connection());
    f.fcm.script({{"delay", 6'000}});
    Handed slow(fcm_credential("other-project"), f.message(), Fixture::androids(1));
    f.push->send(std::move(slow.batch));
    REQUIRE(eventually([&] { return f.fcm.pushes() == 1; }));
    f.fcm.script({{"all", "INTERNAL"}, {"delay", 0}});
    for (int i = 0; i < 5; ++i)
        CHECK(name_of(f.send_with(fcm_credential(i < 3 ? "demo-project" : "third-project"), "a")) ==
              "transient INTERNAL");
    REQUIRE(f.changes() == Changes{"fcm down"});
    f.fcm.script({{"all", "hang"}});
    std::vector<Handed> probes;
    REQUIRE(eventually([&] {
        probes.emplace_back(fcm_credential(), f.message(), Fixture::androids(1));
        f.push->send(std::move(probes.back().batch));
        return f.fcm.pushes() == 7;
    }));
    f.fcm.script({{"all", nullptr}});
    CHECK(name_of(slow.results.get().front()) == "accepted");
    CHECK(f.changes() == Changes{"fcm down", "fcm up"});
    // The probe still has no response. Its stream is in use, so another connection is needed.
    f.fcm.script({{"streams", 2}});
    CHECK(name_of(f.send_fcm("b")) == "accepted");
}

// --- refused credentials

TEST_CASE("the first refusal of a credential stops its queue", "[push]")
{
    Fixture f(one_by_one(), one_connection());
    f.fcm.script({{"all", "PERMISSION_DENIED"}});
    std::string const reason =
        "credential PERMISSION_DENIED: Permission 'cloudmessaging.messages.create' denied";
    auto const results = f.send(Fixture::androids(20));
    for (auto const& result : results)
        CHECK(name_of(result) == reason);
    CHECK(count_handed_out(results) == 1);
    f.fcm.script({{"all", nullptr}});
    auto const later = f.send_fcm("a");
    CHECK(name_of(later) == reason);
    CHECK_FALSE(later.handed_out);
    CHECK(f.fcm.pushes() == 1);
    CHECK(name_of(f.send_with(fcm_credential("other-project"), "b")) == "accepted");
    CHECK(name_of(f.send_apns("bb")) == "accepted");
    CHECK(f.changes().empty());
}

TEST_CASE("a refusal does not apply to a credential that was stored later", "[push]")
{
    Fixture f(one_by_one(), one_connection());
    auto const first = f.clock.now();
    auto const send = [&](core::Time stored_at) {
        return f.send_with(fcm_credential(), "ok:1", {.stored_at = stored_at});
    };
    f.fcm.script({{"all", "PERMISSION_DENIED"}});
    CHECK(send(first).verdict == Verdict::credential);
    f.fcm.script({{"all", nullptr}});
    CHECK(send(first).verdict == Verdict::credential);
    CHECK(f.fcm.pushes() == 1);
    CHECK(name_of(send(first + 1s)) == "accepted");
    f.fcm.script({{"all", "PERMISSION_DENIED"}});
    CHECK(send(first + 1s).verdict == Verdict::credential);
    CHECK_FALSE(send(first + 1s).handed_out);
    CHECK(f.fcm.pushes() == 3);
}

TEST_CASE("a late refusal does not stop pushes of a credential that was stored later", "[push]")
{
    Fixture f(one_by_one(), one_connection());
    f.fcm.script({{"delay", 300}});
    Handed before(fcm_credential(), f.message(), {Fixture::target(Carrier::fcm, "PERMISSION_DENIED:1")});
    before.batch->stored_at = f.clock.now();
    f.push->send(std::move(before.batch));
    REQUIRE(eventually([&] { return f.fcm.pushes() == 1; }));
    Handed after(fcm_credential(), f.message(), Fixture::androids(2));
    after.batch->stored_at = f.clock.now() + 1s;
    f.push->send(std::move(after.batch));
    CHECK(before.results.get().front().verdict == Verdict::credential);
    for (auto const& result : after.results.get())
        CHECK(name_of(result) == "accepted");
}

TEST_CASE(
    "a service account that Google refuses is asked again for a credential that was stored later", "[push]")
{
    Fixture f;
    f.fcm.tokens({{"error", "invalid_grant"}, {"description", "Invalid JWT Signature."}});
    auto const first = f.clock.now();
    auto const send = [&](core::Time stored_at) {
        return name_of(f.send_with(fcm_credential(), "ok:1", {.stored_at = stored_at}));
    };
    std::string const reason = "credential invalid_grant: Invalid JWT Signature.";
    CHECK(send(first) == reason);
    CHECK(send(first) == reason);
    CHECK(f.fcm.tokens().at("asked") == 1);
    f.fcm.tokens({});
    CHECK(send(first) == reason);
    CHECK(send(first + 1s) == "accepted");
    CHECK(f.fcm.tokens().at("asked") == 2);
}
