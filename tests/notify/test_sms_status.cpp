#include "texting.hpp"

#include <fstream>

using namespace texting;

TEST_CASE("a text message is sent, and Twilio's callbacks update its status")
{
    Fixture f;
    auto const [id, address] = f.sent();
    auto const form = f.server.accepted().back();
    CHECK(form.at("To") == number);
    CHECK(form.at("From") == TwilioServer::from);
    CHECK(form.at("Body") == "Your code is 1234.");
    CHECK_THAT(address, Catch::StartsWith(std::string(public_address) + "?scope=" + f.world.scope_id() +
                                          "&notification=" + id + "&queued="));

    for (auto const* on_its_way : {"queued", "sending", "sent"})
        CHECK(call_back(f.world, address, status_form(sid(1), on_its_way)) == 204);
    CHECK(text(f.world.notification(id), "status") == "sent");
    CHECK(call_back(f.world, address, status_form(sid(1), "delivered")) == 204);
    auto const n = f.world.notification(id);
    CHECK(text(n, "status") == "delivered");
    CHECK(text(n, "failureReason") == "null");
    CHECK(n.at("attempts") == 1);
    CHECK(statuses_of(f.world, id) == "queued sent delivered");
}

TEST_CASE("late and repeated callbacks change nothing")
{
    Fixture f;
    auto const [id, address] = f.sent();
    REQUIRE(call_back(f.world, address, status_form(sid(1), "delivered")) == 204);
    for (auto const* late : {"sent", "delivered", "queued"})
        CHECK(call_back(f.world, address, status_form(sid(1), late)) == 204);
    CHECK(call_back(f.world, address, status_form(sid(1), "undelivered", "30003")) == 204);
    CHECK(text(f.world.notification(id), "status") == "delivered");
    CHECK(statuses_of(f.world, id) == "queued sent delivered");
}

TEST_CASE("an undelivered message fails with Twilio's code, unless it is delivered later")
{
    Fixture f;
    auto const [id, address] = f.sent();
    REQUIRE(call_back(f.world, address, status_form(sid(1), "undelivered", "30003")) == 204);
    auto const n = f.world.notification(id);
    CHECK(text(n, "status") == "failed");
    CHECK(text(n, "failureReason") == "30003");
    CHECK(text(n, "failedAt") != "null");
    REQUIRE(call_back(f.world, address, status_form(sid(1), "sent")) == 204);
    CHECK(text(f.world.notification(id), "status") == "failed");
    REQUIRE(call_back(f.world, address, status_form(sid(1), "delivered")) == 204);
    CHECK(text(f.world.notification(id), "status") == "delivered");
    CHECK(text(f.world.notification(id), "failureReason") == "null");
}

TEST_CASE("the reason of a failure without a code is the status")
{
    Fixture f;
    auto const [id, address] = f.sent();
    REQUIRE(call_back(f.world, address, status_form(sid(1), "failed")) == 204);
    CHECK(text(f.world.notification(id), "failureReason") == "FAILED");
}

TEST_CASE("only callbacks that Twilio signed for that notification are accepted")
{
    Fixture f;
    auto const [id, address] = f.sent();
    auto const form = status_form(sid(1), "delivered");
    core::Secret const token(TwilioServer::auth_token);
    CHECK(call_back(f.world, address, form, "") == 401);
    CHECK(call_back(f.world, address, form, twilio::sign(core::Secret("another"), address, form)) == 401);
    CHECK(call_back(f.world, address, form, twilio::sign(token, public_address, form)) == 401);
    CHECK(call_back(f.world, address, status_form(sid(1), "failed"), twilio::sign(token, address, form)) ==
          401);
    auto const [other_id, other_address] = f.sent();
    CHECK(call_back(f.world, other_address, form, twilio::sign(token, address, form)) == 401);
    CHECK(text(f.world.notification(id), "status") == "sent");
    CHECK(text(f.world.notification(other_id), "status") == "sent");
}

TEST_CASE("callbacks about unknown notifications are accepted and ignored")
{
    Fixture f;
    auto const [id, address] = f.sent();
    auto const form = status_form(sid(1), "delivered");
    std::string const base = public_address;
    std::string const scope = f.world.scope_id();
    std::string const sibling = f.world.scope_id("demo");
    CHECK(call_back(f.world, base, form) == 204);
    CHECK(call_back(f.world, base + "?scope=" + scope, form) == 204);
    CHECK(call_back(f.world, base + "?scope=" + scope + "&notification=x", form) == 204);
    CHECK(call_back(f.world, base + "?scope=" + sibling + "&notification=" + id, form) == 204);
    CHECK(call_back(f.world, base + "?scope=999999&notification=" + id, form) == 204);
    CHECK(call_back(f.world, base + "?scope=x&notification=" + id, form) == 400);
    CHECK(text(f.world.notification(id), "status") == "sent");
}

TEST_CASE("an opt-out reported by a callback suppresses the number")
{
    Fixture f;
    auto const [id, address] = f.sent();
    REQUIRE(call_back(f.world, address, status_form(sid(1), "failed", "21610")) == 204);
    CHECK(text(f.world.notification(id), "failureReason") == "21610");
    auto const next = f.send();
    REQUIRE(f.world.becomes(next, "failed"));
    CHECK(text(f.world.notification(next), "failureReason") == "SUPPRESSED");
}

TEST_CASE("after a retry, a callback about the earlier message counts only if that message was delivered")
{
    Fixture f;
    auto const [id, address] = f.sent();
    REQUIRE(call_back(f.world, address, status_form(sid(1), "undelivered", "30003")) == 204);
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "{}").status == 202);
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.server.accepted().back().at("StatusCallback") != address);
    REQUIRE(call_back(f.world, address, status_form(sid(1), "failed", "30005")) == 204);
    CHECK(text(f.world.notification(id), "status") == "sent");
    REQUIRE(call_back(f.world, address, status_form(sid(1), "delivered")) == 204);
    CHECK(text(f.world.notification(id), "status") == "delivered");
}

TEST_CASE("a failure of the earlier message does not end a retry that is not sent yet")
{
    Fixture f;
    auto const [id, address] = f.sent();
    REQUIRE(call_back(f.world, address, status_form(sid(1), "undelivered", "30003")) == 204);
    f.server.refuse_with(503, 20503); // so that the retry waits
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "{}").status == 202);
    REQUIRE(eventually([&] { return f.world.notification(id).at("attempts") == 1; }));
    for (auto const* late : {"sent", "undelivered", "failed"})
        CHECK(call_back(f.world, address, status_form(sid(1), late, "30005")) == 204);
    CHECK(text(f.world.notification(id), "status") == "queued");
    f.server.refuse_with(201);
    f.world.clock.advance(12s);
    REQUIRE(f.world.becomes(id, "sent"));
    // Callbacks about the message of the retry count as usual.
    auto const own = f.server.accepted().back().at("StatusCallback");
    REQUIRE(call_back(f.world, own, status_form(sid(2), "undelivered", "30005")) == 204);
    CHECK(text(f.world.notification(id), "failureReason") == "30005");
}

TEST_CASE("the outcome of a message in flight does not count for a later retry")
{
    Fixture f;
    f.server.delay(1h); // until it is released below
    auto const id = f.send();
    REQUIRE(eventually([&] { return f.server.requests() == 1; }));
    auto const address = std::string(public_address) + "?scope=" + f.world.scope_id() +
                         "&notification=" + id + "&queued=" + f.queued_at(id);
    REQUIRE(call_back(f.world, address, status_form(sid(1), "undelivered", "30003")) == 204);
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "{}").status == 202);
    f.server.delay(0s);
    REQUIRE(eventually([&] { return f.server.accepted().size() == 2; }));
    REQUIRE(f.world.becomes(id, "sent"));
    CHECK(f.world.notification(id).at("attempts") == 1);
    CHECK(statuses_of(f.world, id) == "queued failed queued sent");
    CHECK(f.server.accepted().back().at("StatusCallback") != address);
}

TEST_CASE("Twilio's own client makes and accepts the same signatures", "[peers]")
{
    Fixture f;
    auto const [id, address] = f.sent();
    auto const form = status_form(sid(1), "delivered", "");
    json::object members;
    for (auto const& [name, value] : form)
        members[name] = value;
    core::Secret const token(TwilioServer::auth_token);
    testing::TemporaryDirectory const folder("notify-peers");
    std::string const file = folder.path() + "/input.json";
    std::ofstream(file) << body({{"authToken", TwilioServer::auth_token}, {"url", address}, {"form", members},
        {"signature", twilio::sign(token, address, form)}});
    auto const said = json::parse(testing::output_of({"node", NPM_FOLDER "/twilio.mjs", file}, 1min));
    CHECK(said.at("valid") == true);
    CHECK(said.at("validForAnother") == false);
    CHECK(call_back(f.world, address, form, text(said, "signature")) == 204);
    CHECK(text(f.world.notification(id), "status") == "delivered");
}
