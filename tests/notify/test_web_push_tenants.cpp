#include "web_push_fixture.hpp"

// The breakers of several scopes at one push service: a scope whose endpoints fail stops its own pushes, and
// several tenants that fail stop all.

using namespace web_push_test;

namespace {

using State = CarrierStatus::State;

Sender const& failing()
{
    static Sender const sender{11};
    return sender;
}

Sender const& sound()
{
    static Sender const sender{12};
    return sender;
}

bool is_down(PushResult const& result)
{
    return name_of(result) == "transient CARRIER_DOWN" && result.untried() && !result.handed_out &&
           result.retry_after >= 1s;
}

State state_of(Fixture const& f, Sender const& sender)
{
    return f.push->status_of(*sender.credential, sender.scope.id).state;
}

/// Opens the scope's own breaker: five of its endpoints fail.
void fail(Fixture& f, Sender const& sender)
{
    for (int i = 0; i < 5; ++i)
        REQUIRE(name_of(f.send_as(sender, "500-" + std::to_string(i))) == "transient HTTP_500");
    REQUIRE(is_down(f.send_as(sender, "ok")));
}

} // namespace

TEST_CASE("a scope whose endpoints fail stops its own pushes only", "[web_push]")
{
    Fixture f;
    CHECK(name_of(f.send_as(sound(), "ok")) == "accepted");
    fail(f, failing());
    CHECK(name_of(f.send_as(sound(), "ok")) == "accepted");
    CHECK(state_of(f, failing()) == State::down);
    CHECK(state_of(f, sound()) == State::ok);
    REQUIRE(f.push->open_breakers().size() == 1);
    CHECK(f.push->open_breakers()[0].origin == "https://" + f.server.host());
    CHECK(f.push->open_breakers()[0].has_answered);

    // The other environment of the tenant is a scope of its own.
    Sender const sandbox{11, core::Environment::sandbox};
    CHECK(name_of(f.send_as(sandbox, "ok")) == "accepted");
    CHECK(state_of(f, failing()) == State::down);

    // The scope's own probe closes its breaker.
    CHECK(eventually([&] { return f.send_as(failing(), "ok").verdict == Verdict::accepted; }));
    CHECK(state_of(f, failing()) == State::ok);
    CHECK(f.push->open_breakers().empty());
}

TEST_CASE("endpoints of one scope that do not respond stop no push of another scope", "[web_push]")
{
    Fixture f(1s);
    for (int i = 0; i < 5; ++i)
        REQUIRE(name_of(f.send_as(failing(), "hang")) == "transient TIMEOUT");
    REQUIRE(is_down(f.send_as(failing(), "ok")));
    CHECK(name_of(f.send_as(sound(), "ok")) == "accepted");
}

TEST_CASE("failures of a second tenant show that a push service is down for all", "[web_push]")
{
    Fixture f;
    CHECK(name_of(f.send_as(sound(), "ok")) == "accepted");
    fail(f, failing());
    // Three failures of a tenant count, so two more are needed. Its other scope adds none.
    Sender const sandbox{11, core::Environment::sandbox};
    fail(f, sandbox);
    CHECK(state_of(f, sound()) == State::ok);
    CHECK(name_of(f.send_as(sound(), "500")) == "transient HTTP_500");
    CHECK(state_of(f, sound()) == State::ok);
    CHECK(name_of(f.send_as(sound(), "500")) == "transient HTTP_500");
    CHECK(state_of(f, sound()) == State::down);
    CHECK(is_down(f.send_as(Sender(13), "ok")));

    // A probe of any scope closes the breaker of the push service.
    CHECK(eventually([&] { return f.send_as(sound(), "ok").verdict == Verdict::accepted; }));
    CHECK(name_of(f.send_as(Sender(13), "ok")) == "accepted");
    CHECK(state_of(f, sound()) == State::ok);
}

TEST_CASE("an answer to any scope ends a row of failures of several tenants", "[web_push]")
{
    Fixture f;
    fail(f, failing());
    for (int i = 0; i < 4; ++i) {
        CHECK(name_of(f.send_as(sound(), "500")) == "transient HTTP_500");
        CHECK(name_of(f.send_as(Sender(13), "ok")) == "accepted");
    }
    CHECK(state_of(f, sound()) == State::ok);
    CHECK(name_of(f.send_as(sound(), "ok")) == "accepted");
}

TEST_CASE("a push service that does not connect is down for all scopes at once", "[web_push]")
{
    Fixture f;
    CHECK(name_of(f.send_as(failing(), "ok")) == "accepted");
    f.server.listen(false);
    f.send_as(failing(), "ok");
    CHECK(is_down(f.send_as(sound(), "ok")));
    CHECK(state_of(f, sound()) == State::down);
    f.server.listen(true);
    CHECK(eventually([&] { return f.send_as(sound(), "ok").verdict == Verdict::accepted; }));
    CHECK(name_of(f.send_as(failing(), "ok")) == "accepted");
}
