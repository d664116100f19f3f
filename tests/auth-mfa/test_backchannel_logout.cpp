#include "account_browser.hpp"
#include "crypto/jwt.hpp"
#include "http/form.hpp"
#include "oauth.hpp"
#include "receiver.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

// Clients are told that sessions have ended (OpenID Connect Back-Channel Logout 1.0).

namespace {

namespace json = boost::json;
using oauth::Fields;

Fields const online{{"scope", "openid"}}; ///< a session without a refresh token

/// An application with a backchannelLogoutUri.
struct RelyingParty {
    std::atomic<unsigned> status = 200;
    testing::Receiver receiver{[this](testing::Received const&) { return testing::reply(status); }};
    oauth::Client client;

    explicit RelyingParty(
        World const& world, json::object fields = {}, std::string const& tenant = "demo-sandbox")
    {
        fields["backchannelLogoutUri"] = receiver.url("/logged-out");
        client = oauth::new_client(world, fields, tenant);
    }

    /// The logout tokens so far.
    std::vector<crypto::Jws> tokens() const
    {
        std::vector<crypto::Jws> tokens;
        for (auto const& request : receiver.received()) {
            auto const form = http::parse_form(request.body);
            REQUIRE(form);
            auto token = crypto::parse_jws(http::find(*form, "logout_token"));
            REQUIRE(token);
            tokens.push_back(*std::move(token));
        }
        return tokens;
    }

    /// The sessions of which the application was told.
    std::multiset<std::string> told() const
    {
        std::multiset<std::string> sessions;
        for (auto const& token : tokens())
            sessions.emplace(token.payload.at("sid").as_string());
        return sessions;
    }

    bool is_told_of(std::multiset<std::string> const& sessions) const
    {
        return testing::eventually([&] { return told() == sessions; });
    }
};

oauth::Tokens tokens_in(
    World const& world, PageClient& browser, oauth::Client const& client, Fields const& changes = online)
{
    auto const pkce = oauth::Pkce::make();
    auto const code = oauth::authorize(browser, oauth::request_of(client, pkce, changes));
    return oauth::Tokens::of(oauth::exchange(world, client, code, pkce));
}

std::string session_of(oauth::Tokens const& tokens)
{
    return text(claims_of(tokens.access_token), "sid");
}

void sign_out(PageClient& browser)
{
    browser.submit(browser.get("/account"), "/logout", {});
    REQUIRE(browser.get_raw("/account").status == 303);
}

/// Whether the service has nothing left to tell.
bool is_quiet(World const& world)
{
    return testing::eventually([&] {
        return world.postgres.query(
                   "SELECT (SELECT count(*) FROM logout_notices) + (SELECT count(*) FROM jobs "
                   "WHERE queue = 'logout_notices')") == "0";
    });
}

/// Whether the worker has recorded a failed attempt. From then on, the clock decides when the next one is
/// due.
bool waits_for_retry(World const& world)
{
    return testing::eventually([&] {
        return world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'logout_notices' AND "
                                    "attempts = 1 AND lease_owner IS NULL") == "1";
    });
}

/// Adds older copies of a session.
void add_copies(World const& world, std::string const& session, int count)
{
    world.postgres.query(R"(
        INSERT INTO sessions (
            scope_id, session_id, user_id, amr, created_at, rotated_at, expires_at, user_agent, address,
            client_id, scope, parent_id
        )
        SELECT s.scope_id, ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, s.user_id, s.amr,
            s.created_at, s.rotated_at, s.expires_at, s.user_agent, s.address, s.client_id, s.scope, s.parent_id
        FROM sessions s
        CROSS JOIN generate_series(1, )" +
                         std::to_string(count) + ") AS i WHERE s.session_id = '" + session + "'");
}

/// Gives the account a session in a browser and one of the client there, and returns the client's.
std::string new_session(World const& world, Account const& account, oauth::Client const& client)
{
    auto browser = oauth::signed_in(world, account);
    return session_of(tokens_in(world, browser, client));
}

} // namespace

TEST_CASE("a logout token names the client's session, its user and the event", "[oauth][backchannel]")
{
    World const world;
    auto const ada = world.new_account();
    auto const [algorithm, extra] = GENERATE(table<std::string, json::object>(
        {{"RS256", {}}, {"ES256", json::object{{"idTokenSigningAlg", "ES256"}}}}));
    RelyingParty const app(world, extra);
    auto browser = oauth::signed_in(world, ada);
    auto const tokens = tokens_in(world, browser, app.client);
    sign_out(browser);
    REQUIRE(app.is_told_of({session_of(tokens)}));

    auto const request = app.receiver.received().at(0);
    CHECK(request.method == "POST");
    CHECK(request.target == "/logged-out");
    CHECK(request.headers.at("content-type") == "application/x-www-form-urlencoded");
    auto const token = app.tokens().at(0);
    CHECK(token.header.at("typ") == "logout+jwt");
    CHECK(token.header.at("alg") == json::value(algorithm));
    auto const keys = crypto::parse_foreign_jwk_set(world.client().get("/.well-known/jwks.json").body);
    auto const* const key = keys.find(token.kid());
    REQUIRE(key != nullptr);
    CHECK(crypto::verify(*key, token));
    auto const& claims = token.payload;
    CHECK(claims.at("iss") == json::value(oauth::issuer_of(world)));
    CHECK(claims.at("aud") == json::value(app.client.id));
    CHECK(claims.at("sub") == json::value(ada.user_id));
    CHECK(claims.at("sid") == claims_of(tokens.id_token).at("sid"));
    CHECK(claims.contains("jti"));
    CHECK_FALSE(claims.contains("nonce"));
    CHECK(claims.at("events") ==
          json::value{{"http://schemas.openid.net/event/backchannel-logout", json::object()}});
    CHECK(claims.at("exp").to_number<std::int64_t>() - claims.at("iat").to_number<std::int64_t>() <= 120);
    CHECK(is_quiet(world));
    CHECK(app.receiver.received().size() == 1);
}

TEST_CASE("a logout token is no access token and no id token", "[oauth][backchannel]")
{
    World const world;
    RelyingParty const app(world);
    auto const ada = world.new_account();
    auto browser = oauth::signed_in(world, ada);
    tokens_in(world, browser, app.client);
    sign_out(browser);
    REQUIRE(testing::eventually([&] { return !app.receiver.received().empty(); }));
    auto const form = http::parse_form(app.receiver.received().at(0).body);
    std::string const token(http::find(form.value(), "logout_token"));
    CHECK(world.with(token).get("/v1/auth/me").status == 401);
    CHECK(world.with(token).get("/oauth/userinfo").status == 401);
    browser.sign_in(ada);
    auto const page = browser.get_raw("/oauth/logout?" + oauth::encode({{"id_token_hint", token}}));
    CHECK(page.links_to("/oauth/logout/confirm"));
}

TEST_CASE("a client is told however its session ends", "[oauth][backchannel]")
{
    World const world;
    RelyingParty const app(world);
    auto const owner = world.new_owner();
    auto ada = world.new_account();
    auto browser = oauth::signed_in(world, ada);
    auto const session = session_of(tokens_in(world, browser, app.client));
    auto const member = "/v1/members/" + ada.user_id;
    SECTION("by a logout of the client")
    {
        auto const page = browser.get_raw("/oauth/logout");
        browser.submit(page, "/oauth/logout/confirm", {});
    }
    SECTION("by the end of the other sessions")
    {
        REQUIRE(world.as(ada).del("/v1/auth/sessions").status == 200);
    }
    SECTION("by a change of the password")
    {
        auto const change =
            body({{"currentPassword", ada.password}, {"newPassword", "another horse battery"}});
        REQUIRE(world.as(ada).post("/v1/auth/password", change).status == 200);
    }
    SECTION("by a reset of the password")
    {
        REQUIRE(world.client().post("/v1/auth/password/forgot", body({{"email", ada.email}})).status == 202);
        auto const token = world.token_mailed_to(ada.email, "Reset your");
        auto const reset = body({{"token", token}, {"newPassword", "another horse battery"}});
        REQUIRE(world.client().post("/v1/auth/password/reset", reset).status == 200);
    }
    SECTION("by an owner who ends the member's sessions")
    {
        REQUIRE(world.as(owner).del(member + "/sessions").status == 200);
    }
    SECTION("by an owner who disables the member")
    {
        REQUIRE(world.as(owner).patch(member, body({{"status", "disabled"}})).status == 200);
    }
    SECTION("by an owner who deletes the member")
    {
        REQUIRE(world.as(owner).del(member).status == 200);
    }
    SECTION("by the user's deletion of the account")
    {
        ada.take(testing::require(200, world.login(ada)));
        REQUIRE(world.as(ada).del("/v1/auth/me").status == 200);
    }
    CHECK(app.is_told_of({session}));
    CHECK(is_quiet(world));
}

TEST_CASE("a client is told when a stolen code or refresh token ends its session", "[oauth][backchannel]")
{
    World world;
    RelyingParty const app(world);
    auto browser = oauth::signed_in(world, world.new_account());
    auto const pkce = oauth::Pkce::make();
    auto const code = oauth::authorize(browser, oauth::request_of(app.client, pkce));
    auto const tokens = oauth::Tokens::of(oauth::exchange(world, app.client, code, pkce));
    SECTION("the code")
    {
        CHECK(oauth::error_of(oauth::exchange(world, app.client, code, pkce)) == "invalid_grant");
    }
    SECTION("the refresh token")
    {
        REQUIRE(oauth::refresh(world, app.client, tokens.refresh_token).status == 200);
        world.clock.advance(std::chrono::minutes(1));
        CHECK(oauth::error_of(oauth::refresh(world, app.client, tokens.refresh_token)) == "invalid_grant");
    }
    CHECK(app.is_told_of({session_of(tokens)}));
}

TEST_CASE(
    "a session that goes on with a refresh token is told of the browser's logout", "[oauth][backchannel]")
{
    World const world;
    RelyingParty const app(world);
    auto const ada = world.new_account();
    auto browser = oauth::signed_in(world, ada);
    auto const tokens = tokens_in(world, browser, app.client, {});
    sign_out(browser);
    REQUIRE(app.is_told_of({session_of(tokens)}));
    auto const next = oauth::refresh(world, app.client, tokens.refresh_token);
    REQUIRE(next.status == 200);
    REQUIRE(is_quiet(world));

    // When it ends itself, the client is told once more.
    REQUIRE(world.as(ada).del("/v1/auth/sessions").status == 200);
    CHECK(app.is_told_of({session_of(tokens), session_of(tokens)}));
}

TEST_CASE("a client is told of sessions whose tokens have expired", "[oauth][backchannel]")
{
    World world;
    RelyingParty const app(world);
    auto browser = oauth::signed_in(world, world.new_account());
    auto const session = session_of(tokens_in(world, browser, app.client));
    auto const age = GENERATE(std::chrono::hours(20), std::chrono::hours(20 * 24));
    world.clock.advance(age);
    CHECK(testing::eventually([&] { // the purge of sessions has run
        return world.postgres.query(
                   "SELECT count(*) FROM periodic_tasks WHERE name LIKE '%sessions.purge%' AND next_at > '" +
                   core::to_rfc3339(world.clock.now()) + "'") == "1";
    }));
    sign_out(browser);
    CHECK(app.is_told_of({session}));
}

TEST_CASE("each exchange deletes an expired session of the client beyond the newest 50 in the browser",
    "[oauth][backchannel]")
{
    World const world;
    RelyingParty const app(world);
    auto browser = oauth::signed_in(world, world.new_account());
    auto const session = session_of(tokens_in(world, browser, app.client));
    add_copies(world, session, 80);
    world.clock.advance(std::chrono::hours(1));
    auto const of_client = "SELECT count(*) FROM sessions WHERE client_id = '" + app.client.id + "'";
    CHECK(world.postgres.query(of_client) == "81");
    for (int i = 0; i < 5; ++i)
        tokens_in(world, browser, app.client);
    CHECK(world.postgres.query(of_client) == "81"); // one is deleted for each new one
}

TEST_CASE("only clients of ended sessions are told", "[oauth][backchannel]")
{
    World const world;
    RelyingParty const app(world), other(world);
    RelyingParty const production(world, {{"clientId", app.client.id}}, "demo");
    auto const silent = oauth::new_client(world);
    auto const ada = world.new_account(), bob = world.new_account();
    auto browser = oauth::signed_in(world, ada);
    auto const first = session_of(tokens_in(world, browser, app.client));
    auto const second = session_of(tokens_in(world, browser, app.client));
    auto const of_other = session_of(tokens_in(world, browser, other.client));
    tokens_in(world, browser, silent);
    new_session(world, ada, app.client);
    new_session(world, bob, app.client);
    new_session(world, world.new_account("demo"), production.client);
    sign_out(browser);
    CHECK(app.is_told_of({first, second}));
    CHECK(other.is_told_of({of_other}));
    CHECK(is_quiet(world));
    CHECK(app.receiver.received().size() == 2);
    CHECK(other.receiver.received().size() == 1);
    CHECK(production.receiver.received().empty());
}

TEST_CASE("a client that does not accept a token gets others, for a day", "[oauth][backchannel]")
{
    World world;
    RelyingParty app(world);
    app.status = GENERATE(500U, 400U, 302U);
    auto browser = oauth::signed_in(world, world.new_account());
    auto const session = session_of(tokens_in(world, browser, app.client));
    sign_out(browser);
    REQUIRE(app.is_told_of({session}));
    REQUIRE(waits_for_retry(world));
    SECTION("it accepts a later one")
    {
        app.status = 204;
        world.clock.advance(std::chrono::minutes(10));
        REQUIRE(app.is_told_of({session, session}));
        auto const tokens = app.tokens();
        CHECK(tokens[0].payload.at("jti") != tokens[1].payload.at("jti"));
        CHECK(tokens[0].payload.at("exp") != tokens[1].payload.at("exp"));
    }
    SECTION("it accepts none")
    {
        world.clock.advance(std::chrono::hours(25));
        REQUIRE(app.is_told_of({session, session}));
    }
    CHECK(is_quiet(world));
    world.clock.advance(std::chrono::hours(25));
    CHECK(app.receiver.received().size() == 2);
}

TEST_CASE("a client that hangs delays no other client", "[oauth][backchannel]")
{
    World const world;
    testing::HeldReceiver held;
    auto const hangs = oauth::new_client(world, {{"backchannelLogoutUri", held.receiver.url("/")}});
    RelyingParty const app(world);
    auto browser = oauth::signed_in(world, world.new_account());
    for (int i = 0; i < 12; ++i)
        tokens_in(world, browser, hangs);
    auto const session = session_of(tokens_in(world, browser, app.client));
    sign_out(browser);
    CHECK(app.is_told_of({session}));
    held.gate.open();
    CHECK(is_quiet(world));
    CHECK(held.receiver.received().size() == 12);
}

TEST_CASE("a client that was deleted, or has no URI any more, is not told", "[oauth][backchannel]")
{
    World world;
    RelyingParty app(world);
    app.status = 503;
    auto browser = oauth::signed_in(world, world.new_account());
    auto const session = session_of(tokens_in(world, browser, app.client));
    sign_out(browser);
    REQUIRE(app.is_told_of({session}));
    REQUIRE(waits_for_retry(world));
    auto const path = "/v1/clients/" + app.client.id;
    SECTION("deleted")
    {
        REQUIRE(world.as_master().del(path).status == 200);
    }
    SECTION("no URI")
    {
        REQUIRE(world.as_master().patch(path, R"({"backchannelLogoutUri":null})").status == 200);
    }
    world.clock.advance(std::chrono::hours(7));
    CHECK(is_quiet(world));
    CHECK(app.receiver.received().size() == 1);
}

TEST_CASE("of many sessions of a client in one browser the newest 50 are told", "[oauth][backchannel]")
{
    World const world;
    RelyingParty const app(world);
    auto const ada = world.new_account();
    auto browser = oauth::signed_in(world, ada);
    auto const session = session_of(tokens_in(world, browser, app.client));
    add_copies(world, session, 200);
    sign_out(browser);
    // The worker puts off tokens that would be too many for one host at once.
    CHECK(testing::eventually([&] {
        world.clock.advance(std::chrono::minutes(1));
        return app.receiver.received().size() >= 50;
    }));
    CHECK(is_quiet(world));
    auto const told = app.told();
    CHECK(told.size() == 50);
    CHECK(told.contains(session));
    CHECK(world.postgres.query(
              "SELECT count(*) FROM sessions WHERE client_id IS NOT NULL AND ended_at IS NULL") == "0");
}

TEST_CASE("a code that is redeemed during the logout opens no session that goes on", "[oauth][backchannel]")
{
    World const world;
    RelyingParty const app(world);
    auto const ada = world.new_account();
    for (int round = 0; round < 10; ++round) {
        auto browser = oauth::signed_in(world, ada);
        auto const pkce = oauth::Pkce::make();
        auto const code = oauth::authorize(browser, oauth::request_of(app.client, pkce, online));
        auto const account = browser.get("/account");
        unsigned status = 0;
        {
            std::jthread const exchange(
                [&] { status = oauth::exchange(world, app.client, code, pkce).status; });
            browser.submit(account, "/logout", {});
        }
        CHECK((status == 200 || status == 400));
        CHECK(world.postgres.query(
                  "SELECT count(*) FROM sessions WHERE client_id IS NOT NULL AND ended_at IS NULL") == "0");
    }
    CHECK(is_quiet(world));
    CHECK(std::to_string(app.receiver.received().size()) ==
          world.postgres.query("SELECT count(*) FROM sessions WHERE client_id IS NOT NULL"));
}

TEST_CASE("a suspended tenant's clients are told when it resumes", "[oauth][backchannel]")
{
    World world;
    RelyingParty app(world);
    app.status = 503;
    auto browser = oauth::signed_in(world, world.new_account());
    auto const session = session_of(tokens_in(world, browser, app.client));
    sign_out(browser);
    REQUIRE(app.is_told_of({session}));
    REQUIRE(waits_for_retry(world));
    auto const set_status = [&](char const* status) {
        auto const tenant = body({{"displayName", "Demo"}, {"status", status}});
        REQUIRE(world.as_master().put("/v1/admin/tenants/demo", tenant).status == 200);
    };
    set_status("suspended");
    app.status = 200;
    world.clock.advance(std::chrono::minutes(10));
    auto const waits = [&] {
        return world.postgres.query(
                   "SELECT run_at > now FROM jobs, test_clock WHERE queue = 'logout_notices' "
                   "AND lease_owner IS NULL") == "t";
    };
    REQUIRE(testing::eventually(waits));
    CHECK(app.receiver.received().size() == 1);
    set_status("active");
    world.clock.advance(std::chrono::minutes(10));
    CHECK(app.is_told_of({session, session}));
}
