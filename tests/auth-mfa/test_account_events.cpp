#include "emails.hpp"
#include "factors.hpp"
#include "identity_provider.hpp"
#include "passkeys.hpp"
#include "receiver.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

// What happens to an account: its activity, the audit log, and webhooks.

namespace {

namespace json = boost::json;

/// `type result` of each entry, newest first.
std::vector<std::string> history(testing::HttpClient& caller, std::string const& path, int limit = 100)
{
    std::vector<std::string> entries;
    for (auto const& entry : all_items(caller, path, limit))
        entries.push_back(text(entry, "type") + ' ' + text(entry, "result"));
    return entries;
}

/// The audit entries with this action, newest first.
json::array audited(World const& world, std::string const& action)
{
    auto master = world.as_master();
    return all_items(master, "/v1/audit?action=" + action);
}

/// Whether one of the entries has this actor, or this subject.
bool about(json::array const& entries, std::string const& user_id)
{
    return std::ranges::any_of(entries, [&](json::value const& entry) {
        return text(entry, "actor") == user_id || text(entry, "subjectId") == user_id;
    });
}

/// The history of a member, as the operator reads it.
std::vector<std::string> history_of(World const& world, std::string const& user_id)
{
    auto master = world.as_master();
    return history(master, "/v1/members/" + user_id + "/activity");
}

/// Links a new identity to the account.
void link_identity(World const& world, Account const& account, Provider const& provider)
{
    auto const token = provider.token();
    auto const linked =
        with_keys([&] { return world.as(account).post("/v1/auth/identities", body({{"idToken", token}})); });
    INFO(linked.body);
    REQUIRE(linked.status == 201);
}

/// A subscriber of all events of the sandbox of tenant demo.
class Subscriber {
public:
    explicit Subscriber(World const& world)
    {
        auto const made = world.as_master().post("/v1/webhooks", body({{"url", receiver_.url("/hook")}}));
        INFO(made.body);
        REQUIRE(made.status == 201);
    }

    /// The `data` of the events of this type so far.
    std::vector<json::value> received(std::string const& type) const
    {
        std::vector<json::value> found;
        for (auto const& request : receiver_.received()) {
            auto const event = json::parse(request.body);
            if (text(event, "type") == type) found.push_back(event.at("data"));
        }
        return found;
    }

    /// Waits for `n` events of this type, and returns their `data`.
    std::vector<json::value> await(std::string const& type, std::size_t n) const
    {
        INFO(type);
        REQUIRE(testing::eventually([&] { return received(type).size() >= n; }));
        auto found = received(type);
        CHECK(found.size() == n);
        return found;
    }

private:
    testing::Receiver receiver_{[](testing::Received const&) { return testing::reply(204); }};
};

} // namespace

TEST_CASE("users read their own activity, and staff and backends that of a member", "[activity]")
{
    World const world;
    auto ada = world.new_account();
    auto guess = ada;
    guess.password = "not the password";
    CHECK(world.login(guess).status == 401);
    world.enrol_totp(ada);
    auto const open = world.challenged(ada);
    CHECK(outcome(world.verify(open, "totp", other_code(world.totp_code(ada, 1)))) == invalid);
    auto const signed_in = world.client().post("/v1/auth/mfa/verify",
        body({{"mfa_token", open}, {"method", "recovery_code"}, {"code", ada.recovery_codes[0]},
            {"trustDevice", true}}),
        {{"User-Agent", "Browser/1"}, {"X-Forwarded-For", "203.0.113.77"}});
    REQUIRE(signed_in.status == 200);
    world.reauthenticate(ada);
    CHECK(world.as(ada).request("DELETE", "/v1/auth/mfa/totp", {}, code_body(ada.recovery_codes[1])).status ==
          200);

    auto caller = world.as(ada);
    std::vector<std::string> const expected{"factor_removed success", "reauthentication success",
        "device_trusted success", "sign_in success", "recovery_code_used success", "sign_in wrong_code",
        "factor_added success", "sign_in wrong_password", "sign_in success", "account_created success"};
    CHECK(history(caller, "/v1/auth/activity") == expected);
    CHECK(history(caller, "/v1/auth/activity", 3) == expected);
    auto const trusted = all_items(caller, "/v1/auth/activity").at(2);
    CHECK(text(trusted, "ip") == "203.0.113.77");
    CHECK(text(trusted, "userAgent") == "Browser/1");
    CHECK(text(trusted, "at").ends_with("Z"));

    auto const owner = world.new_owner();
    auto const admin = world.new_member(owner, "admin");
    auto const bob = world.new_account();
    auto const key = world.as_master().post("/v1/keys", R"({"environment":"sandbox"})");
    REQUIRE(key.status == 201);
    auto as_admin = world.as(admin), backend = world.with(text(key.json(), "key"));
    auto const path = "/v1/members/" + ada.user_id + "/activity";
    CHECK(history(as_admin, path) == expected);
    CHECK(history(backend, path) == expected);
    CHECK(world.as(bob).get(path).status == 403);
    CHECK(backend.get("/v1/members/0190a5d2-0000-7000-8000-0000000000ff/activity").status == 404);
    auto const cursor = text(backend.get(path + "?limit=1").json(), "cursor");
    CHECK(outcome(backend.get("/v1/members/" + bob.user_id + "/activity?cursor=" + cursor)) ==
          "400 VALIDATION_ERROR");
    auto as_bob = world.as(bob);
    CHECK(history(as_bob, "/v1/auth/activity") ==
          std::vector<std::string>{"sign_in success", "account_created success"});
}

TEST_CASE("the audit log records sign-ins, refusals and changes of accounts, without secrets", "[activity]")
{
    World const world;
    auto ada = world.new_account();
    world.enrol_totp(ada);
    auto const signed_in = world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes[0], true);
    REQUIRE(signed_in.status == 200);
    world.reauthenticate(ada);
    CHECK(outcome(world.as(ada).post("/v1/auth/reauthenticate", R"({"password":"not the password"})")) ==
          "401 INVALID_CREDENTIALS");
    auto guess = ada;
    guess.password = "not the password";
    CHECK(world.login(guess).status == 401);
    guess.email = World::new_email();
    CHECK(world.login(guess).status == 401); // no account has this email
    auto master = world.as_master();
    CHECK(master.patch("/v1/members/" + ada.user_id, R"({"status":"disabled"})").status == 200);
    CHECK(world.login(ada).status == 403);

    CHECK(audited(world, "session.created").size() == 2);
    CHECK(text(audited(world, "session.created").at(1), "subjectType") == "session");
    for (auto const* action :
        {"user.created", "session.created", "session.reauthenticated", "session.reauthentication_refused",
            "sign_in.refused", "factor.enabled", "recovery_code.used", "device.trusted", "member.status"}) {
        INFO(action);
        CHECK(about(audited(world, action), ada.user_id));
    }
    std::vector<std::string> reasons;
    for (auto const& entry : audited(world, "sign_in.refused"))
        reasons.push_back(text(entry.at("after"), "result"));
    // An address without an account leaves no entry: anyone could fill the log with such sign-ins.
    CHECK(reasons == std::vector<std::string>{"account_disabled", "wrong_password", "wrong_password"});
    CHECK(text(audited(world, "sign_in.refused").at(1), "subjectId").empty()); // the unknown email
    for (auto const& entry : audited(world, "sign_in.refused"))
        CHECK(text(entry, "actor") == "anonymous"); // the client has not proved who it is
    CHECK(text(audited(world, "member.status").at(0).at("before"), "status") == "active");

    auto const all = json::serialize(all_items(master, "/v1/audit"));
    for (auto const& secret : {ada.email, guess.email, ada.password, guess.password, ada.totp_secret,
             ada.recovery_codes[0], ada.access_token, ada.refresh_token})
        CHECK(all.find(secret) == std::string::npos);
}

TEST_CASE("webhooks receive the changes of accounts", "[activity]")
{
    World const world;
    Subscriber const subscriber(world);
    auto ada = world.new_account();
    auto const created = subscriber.await("user.created", 1);
    auto const me = world.as(ada).get("/v1/auth/me").json();
    CHECK(created[0] == me);

    auto const session = subscriber.await("session.created", 1)[0];
    CHECK(text(session, "userId") == ada.user_id);
    CHECK(text(session, "sessionId") == text(claims_of(ada.access_token), "sid"));
    CHECK(json::serialize(session.at("amr")) == R"(["pwd"])");
    CHECK(text(session, "acr") == "aal1");
    CHECK(session.as_object().contains("createdAt"));
    // The audit entry does not depend on whether a webhook announces the session.
    auto const entry = audited(world, "session.created").at(0);
    CHECK(text(entry, "subjectType") == "session");
    CHECK(text(entry, "subjectId") == text(session, "sessionId"));
    CHECK(text(entry, "actor") == ada.user_id);

    world.verify_email(ada);
    CHECK(subscriber.await("user.updated", 1)[0] == world.as(ada).get("/v1/auth/me").json());
    world.enrol_totp(ada);
    json::value const factor{{"userId", ada.user_id}, {"factor", "totp"}};
    CHECK(subscriber.await("mfa.enabled", 1)[0] == factor);
    auto const strong = world.verify(world.challenged(ada), "totp", world.totp_code(ada, 1));
    REQUIRE(strong.status == 200);
    auto const sessions = subscriber.await("session.created", 2);
    CHECK(std::ranges::any_of(sessions, [](json::value const& s) { return text(s, "acr") == "aal2"; }));
    CHECK(world.as(ada).request("DELETE", "/v1/auth/mfa/totp", {}, code_body(ada.recovery_codes[0])).status ==
          200);
    CHECK(subscriber.await("mfa.disabled", 1)[0] == factor);

    auto master = world.as_master();
    auto const path = "/v1/members/" + ada.user_id;
    REQUIRE(master.patch(path, R"({"role":"admin"})").status == 200);
    REQUIRE(master.patch(path, R"({"role":"admin"})").status == 200); // changes nothing
    REQUIRE(master.patch(path, R"({"status":"disabled"})").status == 200);
    auto const updates = subscriber.await("user.updated", 3);
    auto const now = master.get(path).json();
    CHECK(std::ranges::find(updates, now) != updates.end());
    // Nothing secret, and no change of another environment.
    CHECK(json::serialize(json::array(updates.begin(), updates.end())).find("argon2") == std::string::npos);
    CHECK(world.new_account("demo").user_id.size() == 36);
    CHECK(subscriber.received("user.created").size() == 1);
}

TEST_CASE("webhooks receive each factor that an owner removes, and each member that a backend creates",
    "[activity]")
{
    World const world;
    auto ada = world.new_account_with_sms();
    world.enrol_totp(ada);
    Subscriber const subscriber(world);
    auto master = world.as_master();
    REQUIRE(master.del("/v1/members/" + ada.user_id + "/mfa").status == 200);
    auto const removed = subscriber.await("mfa.disabled", 2);
    for (auto const* factor : {"sms", "totp"})
        CHECK(std::ranges::any_of(removed, [&](json::value const& data) {
            return text(data, "factor") == factor && text(data, "userId") == ada.user_id;
        }));
    auto const made = master.post("/v1/members", body({{"email", World::new_email()}, {"invite", true}}));
    REQUIRE(made.status == 201);
    CHECK(subscriber.await("user.created", 1)[0] == made.json());
    CHECK(subscriber.received("session.created").empty());
}

TEST_CASE(
    "webhooks receive each passkey that is added, and its removal by the user or by staff", "[activity]")
{
    World const world;
    Subscriber const subscriber(world);
    Owner ada(world);
    json::value const factor{{"userId", ada.account.user_id}, {"factor", "passkey"}};
    CHECK(subscriber.await("mfa.enabled", 1)[0] == factor);
    ada.account.access_token = strong_token(world, ada.phone);
    auto laptop = new_phone_with_passkeys();
    auto const second = register_passkey(world, ada.account, laptop);
    CHECK(subscriber.await("mfa.enabled", 2) == std::vector(2, factor));
    SECTION("by the user, one after the other")
    {
        for (std::size_t n = 1; auto const& passkey : {ada.passkey, second}) {
            auto const id = text(passkey, "passkeyId");
            REQUIRE(remove_passkey(world, ada.account.access_token, id).status == 200);
            CHECK(subscriber.await("mfa.disabled", n) == std::vector(n, factor));
            ++n;
        }
    }
    SECTION("by staff, all of them together")
    {
        REQUIRE(world.as_master().del("/v1/members/" + ada.account.user_id + "/mfa").status == 200);
        CHECK(subscriber.await("mfa.disabled", 1)[0] == factor);
        CHECK(results_of(world, ada.account, "factor_removed").size() == 1);
    }
}

TEST_CASE("a refused id token is recorded, and counts like a wrong password", "[activity]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", json::array{provider.setting()}}});
    auto const ada = world.new_account();
    auto caller = world.as(ada); // from one network
    auto const prove = [&] {
        auto const token = provider.token(); // of an identity that is not linked
        return with_keys([&] { return caller.post("/v1/auth/reauthenticate", body({{"idToken", token}})); });
    };
    REQUIRE(outcome(prove()) == "401 INVALID_CREDENTIALS");
    auto const entry = all_items(caller, "/v1/auth/activity").at(0);
    CHECK(text(entry, "type") == "reauthentication");
    CHECK(text(entry, "result") != "success");
    CHECK(about(audited(world, "session.reauthentication_refused"), ada.user_id));

    int attempts = 1;
    auto last = prove();
    for (; attempts < 200 && last.status == 401; ++attempts)
        last = prove();
    CHECK(outcome(last) == "429 RATE_LIMITED");
    CHECK_FALSE(last.header("retry-after").empty());
    CHECK(outcome(caller.post("/v1/auth/reauthenticate", body({{"password", ada.password}}))) ==
          "429 RATE_LIMITED");
}

TEST_CASE("factors that an administrator removes are in the member's activity", "[activity]")
{
    World const world;
    auto ada = world.new_account_with_sms();
    world.enrol_totp(ada);
    auto const bob = world.new_account_with_totp();
    auto master = world.as_master();
    for (auto const& user_id : {ada.user_id, bob.user_id})
        REQUIRE(master.del("/v1/members/" + user_id + "/mfa").status == 200);
    auto const removals = [&](std::string const& user_id) {
        return std::ranges::count(history_of(world, user_id), "factor_removed success");
    };
    CHECK(removals(ada.user_id) == 2);
    CHECK(removals(bob.user_id) == 1);
}

TEST_CASE("the credentials that a reset removes from an unverified account are announced", "[activity]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", json::array{provider.setting()}}});
    auto ada = world.new_account();
    link_identity(world, ada, provider);
    world.enrol_totp(ada);
    Subscriber const subscriber(world);
    REQUIRE(reset(world, reset_token(world, ada.email)).status == 200);

    json::value const factor{{"userId", ada.user_id}, {"factor", "totp"}};
    CHECK(subscriber.await("mfa.disabled", 1)[0] == factor);
    CHECK(mails_about(world, ada.email, "method removed").size() == 1);
    auto const entries = history_of(world, ada.user_id);
    for (auto const* removal : {"factor_removed success", "identity_unlinked success"}) {
        INFO(removal);
        CHECK(std::ranges::count(entries, removal) == 1);
    }
    for (auto const* action : {"factor.disabled", "identity.unlinked"}) {
        INFO(action);
        CHECK(about(audited(world, action), ada.user_id));
    }
}

TEST_CASE("webhooks receive users that an identity provider or the operator creates", "[activity]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", json::array{provider.setting()}}});
    Subscriber const subscriber(world);
    auto const email = World::new_email();
    auto const made = testing::require(201, sign_in_externally(world, provider.token(email)));
    CHECK(subscriber.await("user.created", 1)[0] == made.json().at("user"));
    CHECK(sign_in_externally(world, provider.token(email)).status == 200);
    auto const owner = world.new_owner();
    auto const created = subscriber.await("user.created", 2);
    CHECK(std::ranges::find(created, me(world, owner)) != created.end());
}

TEST_CASE("webhooks receive the changes of users that tokens from emails make", "[activity]")
{
    World const world;
    auto ada = world.new_account();
    auto const old_email = ada.email, moved = World::new_email(), invited = World::new_email();
    auto const accepting = invite(world, invited);
    Subscriber const subscriber(world);
    std::size_t updates = 0;
    /// Waits for the next event. Returns the number of events so far that show this email as verified.
    auto const showing = [&](std::string const& email) {
        auto const received = subscriber.await("user.updated", ++updates);
        return std::ranges::count_if(received, [&](json::value const& user) {
            return text(user, "email") == email && user.at("emailVerified").as_bool();
        });
    };
    REQUIRE(reset(world, reset_token(world, ada.email)).status == 200);
    CHECK(showing(old_email) == 1);
    REQUIRE(accept(world, accepting).status == 201);
    CHECK(showing(invited) == 1);
    ada.password = new_password;
    ada.take(world.login(ada));
    auto const undo = change_email(world, ada, moved);
    CHECK(showing(moved) == 1);
    REQUIRE(post(world, "/v1/auth/email/revert", {{"token", undo}}).status == 200);
    CHECK(showing(old_email) == 2); // also after the reset
}
