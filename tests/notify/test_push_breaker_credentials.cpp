#include "push_fixture.hpp"

// The breakers of several credentials at one origin: a credential that fails stops its own pushes, and
// several that fail stop all.

using namespace push_test;

namespace {

using State = CarrierStatus::State;

Credential::Ptr const& failing()
{
    static auto const credential = fcm_credential("failing-project");
    return credential;
}

Credential::Ptr const& sound()
{
    static auto const credential = fcm_credential("sound-project");
    return credential;
}

bool is_down(PushResult const& result)
{
    return name_of(result) == "transient CARRIER_DOWN" && result.untried() && !result.handed_out;
}

std::string send(Fixture& f, Credential::Ptr const& credential, char const* token)
{
    return name_of(f.send_with(credential, token));
}

/// Opens the breaker of the failing credential.
void fail(Fixture& f)
{
    for (int i = 0; i < 5; ++i)
        REQUIRE(send(f, failing(), "INTERNAL") == "transient INTERNAL");
    REQUIRE(is_down(f.send_with(failing(), "INTERNAL")));
}

} // namespace

TEST_CASE("a credential whose pushes fail stops its own pushes only", "[push]")
{
    Fixture f;
    fail(f);
    CHECK(send(f, sound(), "ok:1") == "accepted");
    CHECK(f.push->status_of(*failing()).state == State::down);
    CHECK(f.push->status_of(*failing()).since == f.clock.now());
    CHECK(f.push->status_of(*failing()).wait > 0s);
    CHECK(f.push->status_of(*sound()).state == State::ok);
    CHECK(f.push->status_of(*sound()).wait == 0s);
    CHECK(f.push->open_breakers().size() == 1);

    // The sound credential's answers do not close the breaker of the failing one. Its own probe does.
    CHECK(f.changes() == std::vector<std::string>{"fcm down"});
    CHECK(eventually([&] { return send(f, failing(), "ok:2") == "accepted"; }));
    CHECK(f.push->status_of(*failing()).state == State::ok);
    CHECK(f.push->open_breakers().empty());
    CHECK(f.changes() == std::vector<std::string>{"fcm down", "fcm up"});
}

TEST_CASE("pushes of one credential that hang delay no push of another credential", "[push]")
{
    Fixture f({}, {.response_timeout = 1h});
    constexpr int count = 2'000;
    Handed hanging(failing(), f.message(), Fixture::androids(count, "hang"));
    f.push->send(std::move(hanging.batch));
    REQUIRE(eventually([&] { return f.fcm.pushes() >= 1'000; }));
    CHECK(send(f, sound(), "ok:1") == "accepted");
    CHECK(hanging.results.wait_for(0s) == std::future_status::timeout);
    CHECK(f.push->stats().queued == count); // all of them are still queued or in flight
    f.push.reset();
}

TEST_CASE("failures of a second tenant show that the carrier is down for all", "[push]")
{
    Fixture f;
    fail(f);
    // Three of the failing credential's failures count, so two more are needed.
    CHECK(send(f, sound(), "INTERNAL") == "transient INTERNAL");
    CHECK(f.push->status_of(*sound()).state == State::ok);
    CHECK(send(f, sound(), "INTERNAL") == "transient INTERNAL");
    CHECK(is_down(f.send_with(sound(), "ok:1")));
    CHECK(is_down(f.send_with(fcm_credential("third-project"), "ok:1")));
    CHECK(f.push->status_of(*sound()).state == State::down);

    // A probe of any credential closes the origin's breaker.
    CHECK(eventually([&] { return send(f, sound(), "ok:1") == "accepted"; }));
    CHECK(send(f, fcm_credential("third-project"), "ok:1") == "accepted");
    CHECK(f.push->status_of(*sound()).state == State::ok);
}

TEST_CASE("a tenant whose two credentials fail does not stop the pushes of other tenants", "[push]")
{
    Fixture f;
    auto const second = fcm_credential("second-project");
    SendOptions const of_one{.tenant = core::TenantId{77}};
    for (auto const& credential : {failing(), second})
        for (int i = 0; i < 5; ++i)
            CHECK(name_of(f.send_with(credential, "INTERNAL", of_one)) == "transient INTERNAL");
    CHECK(is_down(f.send_with(failing(), "INTERNAL", of_one)));
    CHECK(is_down(f.send_with(second, "INTERNAL", of_one)));
    CHECK(send(f, sound(), "ok:1") == "accepted");
    CHECK(f.push->status_of(*sound()).state == State::ok);
}

TEST_CASE("an answer to any credential ends a row of failures of several credentials", "[push]")
{
    Fixture f;
    fail(f);
    for (int i = 0; i < 4; ++i) {
        CHECK(send(f, sound(), "INTERNAL") == "transient INTERNAL");
        CHECK(send(f, fcm_credential("third-project"), "ok:1") == "accepted");
    }
    CHECK(f.push->status_of(*sound()).state == State::ok);
    CHECK(send(f, sound(), "ok:1") == "accepted");
}

TEST_CASE("five credentials that fail once each show that the carrier is down", "[push]")
{
    Fixture f;
    for (int i = 0; i < 5; ++i) {
        auto const credential = fcm_credential("project-" + std::to_string(i));
        CHECK(send(f, credential, "INTERNAL") == "transient INTERNAL");
    }
    CHECK(is_down(f.send_with(sound(), "ok:1")));
}

TEST_CASE("a credential whose probe is in flight when the carrier goes down is probed again later", "[push]")
{
    Fixture f({}, {.response_timeout = 3s});
    fail(f);
    // The probe of the failing credential hangs while the second credential opens the origin's breaker.
    std::vector<Handed> probes;
    f.fcm.script({{"tokens", json::object{{"probe", "hang"}}}});
    auto const before = f.fcm.pushes();
    REQUIRE(eventually([&] {
        probes.emplace_back(failing(), f.message(), std::vector{Fixture::target(Carrier::fcm, "probe")});
        f.push->send(std::move(probes.back().batch));
        return f.fcm.pushes() > before;
    }));
    for (int i = 0; i < 2; ++i)
        CHECK(send(f, sound(), "INTERNAL") == "transient INTERNAL");
    CHECK(is_down(f.send_with(sound(), "ok:1")));
    CHECK(name_of(probes.back().results.get().front()) == "transient TIMEOUT");
    CHECK(eventually([&] { return send(f, sound(), "ok:1") == "accepted"; }));
    CHECK(eventually([&] { return send(f, failing(), "ok:1") == "accepted"; }, 1min));
}
