#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/jwt.hpp"
#include "emails.hpp"
#include "oauth.hpp"

#include <catch2/catch.hpp>

namespace {

/// A client, a user, and a browser in which the user has signed in.
struct CodeFlow {
    explicit CodeFlow(World const& w, boost::json::object const& client_fields = {})
        : world(w), client(oauth::new_client(world, client_fields)), user(world.new_account()),
          browser(oauth::signed_in(world, user))
    {
    }

    std::string code(oauth::Fields const& changes = {})
    {
        return oauth::authorize(browser, oauth::request_of(client, pkce, changes));
    }

    testing::HttpResponse exchange(
        std::string const& code, oauth::Fields const& changes = {}, oauth::Headers const& headers = {}) const
    {
        return oauth::exchange(world, client, code, pkce, changes, headers);
    }

    oauth::Tokens tokens(oauth::Fields const& changes = {})
    {
        return oauth::Tokens::of(exchange(code(changes)));
    }

    unsigned userinfo(oauth::Tokens const& tokens) const
    {
        return world.with(tokens.access_token).get("/oauth/userinfo").status;
    }

    World const& world;
    oauth::Client client;
    Account user;
    PageClient browser;
    oauth::Pkce pkce = oauth::Pkce::make();
};

/// The claims of a token whose signature a published key of this algorithm verifies.
boost::json::object verified(
    World const& world, std::string const& token, crypto::SignatureAlgorithm algorithm)
{
    auto const jws = crypto::parse_jws(token);
    REQUIRE(jws);
    auto const set = crypto::parse_foreign_jwk_set(world.client().get("/.well-known/jwks.json").body);
    auto const* const key = set.find(jws->kid());
    REQUIRE(key != nullptr);
    CHECK(key->algorithm() == algorithm);
    CHECK(crypto::verify(*key, *jws));
    return jws->payload;
}

std::string half_hash(std::string const& token)
{
    auto const digest = crypto::sha256(token);
    return crypto::base64url::encode(crypto::view(digest).substr(0, 16));
}

} // namespace

TEST_CASE("a client exchanges a code for tokens", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    world.clock.advance(30s);
    auto const r = flow.exchange(flow.code());
    auto const tokens = oauth::Tokens::of(r);
    CHECK(r.header("cache-control") == "no-store");
    CHECK(r.header("content-type") == "application/json");
    auto const answer = r.json();
    CHECK(text(answer, "token_type") == "Bearer");
    CHECK(answer.at("expires_in") == 900);
    CHECK(tokens.scope == "openid profile email offline_access");
    CHECK_FALSE(tokens.refresh_token.empty());

    auto const access = verified(world, tokens.access_token, crypto::SignatureAlgorithm::es256);
    CHECK(text(access, "client_id") == flow.client.id);
    CHECK(text(access, "scope") == tokens.scope);
    CHECK(text(access, "sub") == flow.user.user_id);
    CHECK(access.at("aud") == "tetrad");
    CHECK(access.at("role") == "user");

    auto const id = verified(world, tokens.id_token, crypto::SignatureAlgorithm::rs256);
    CHECK(text(id, "iss") == oauth::issuer_of(world));
    CHECK(text(id, "aud") == flow.client.id);
    CHECK(text(id, "sub") == flow.user.user_id);
    CHECK(id.at("nonce") == "nonce-1");
    CHECK(text(id, "at_hash") == half_hash(tokens.access_token));
    CHECK(id.at("sid") == access.at("sid"));
    CHECK(id.at("acr") == "aal1");
    CHECK(boost::json::serialize(id.at("amr")) == R"(["pwd"])");
    CHECK(text(id, "email") == flow.user.email);
    CHECK(id.at("email_verified") == false);
    CHECK(id.contains("updated_at"));
    // The user signed in 30 s before the exchange.
    CHECK(id.at("auth_time").to_number<std::int64_t>() + 30 == core::unix_seconds(world.clock.now()));
    CHECK(id.at("exp").to_number<std::int64_t>() == core::unix_seconds(world.clock.now()) + 900);
}

TEST_CASE("id tokens are signed with the algorithm of the client", "[oauth]")
{
    World const world;
    CodeFlow flow(world, {{"idTokenSigningAlg", "ES256"}});
    auto const tokens = flow.tokens();
    auto const id = verified(world, tokens.id_token, crypto::SignatureAlgorithm::es256);
    CHECK(text(id, "aud") == flow.client.id);
    // It is no access token.
    CHECK(world.with(tokens.id_token).get("/oauth/userinfo").status == 401);
}

TEST_CASE("the scopes decide which tokens and claims a client gets", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto const openid = flow.tokens({{"scope", "openid"}});
    CHECK(openid.scope == "openid");
    CHECK(openid.refresh_token.empty());
    auto const claims = claims_of(openid.id_token);
    for (auto const* const absent : {"email", "email_verified", "updated_at"})
        CHECK_FALSE(claims.contains(absent));

    auto const no_openid = flow.tokens({{"scope", "email"}});
    CHECK(no_openid.id_token.empty());
    CHECK(no_openid.scope == "email");

    CHECK(flow.tokens({{"scope", "openid something read:all"}}).scope == "openid");
    auto const none = flow.tokens({{"scope", ""}});
    CHECK(none.scope.empty());
    CHECK_FALSE(claims_of(none.access_token).contains("scope"));
    CHECK(flow.userinfo(none) == 403); // valid, without the scope openid
}

TEST_CASE("the tokens of a client without offline_access end after 15 minutes and with the browser's session",
    "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto const online = flow.tokens({{"scope", "openid"}});
    auto const offline = flow.tokens();
    CHECK(flow.userinfo(online) == 200);
    SECTION("time")
    {
        world.clock.advance(900s);
        CHECK(flow.userinfo(online) == 401);
    }
    SECTION("sign-out")
    {
        flow.browser.fill_in("/account", {}, "/logout");
        CHECK(flow.userinfo(online) == 401);
        CHECK(flow.userinfo(offline) == 200);
        CHECK(oauth::refresh(world, flow.client, offline.refresh_token).status == 200);
    }
    SECTION("the end of all sessions")
    {
        CHECK(world.as(flow.user).del("/v1/auth/sessions").status == 200);
        CHECK(flow.userinfo(online) == 401);
        CHECK(flow.userinfo(offline) == 401);
        CHECK(oauth::error_of(oauth::refresh(world, flow.client, offline.refresh_token)) == "invalid_grant");
    }
}

TEST_CASE("a code is used once, and its reuse revokes what came from it", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto const code = flow.code();
    auto const tokens = oauth::Tokens::of(flow.exchange(code));
    CHECK(flow.userinfo(tokens) == 200);
    CHECK(oauth::error_of(flow.exchange(code)) == "invalid_grant");
    CHECK(flow.userinfo(tokens) == 401);
    CHECK(oauth::error_of(oauth::refresh(world, flow.client, tokens.refresh_token)) == "invalid_grant");
    CHECK(world.postgres.query("SELECT count(*) FROM audit_log WHERE action = 'authorization_code.reused'") ==
          "1");
    // The browser's session and other codes are not affected.
    CHECK(flow.userinfo(flow.tokens()) == 200);
    // Further attempts have nothing to end, and nothing to audit.
    CHECK(oauth::error_of(flow.exchange(code)) == "invalid_grant");
    CHECK(world.postgres.query("SELECT count(*) FROM audit_log WHERE action = 'authorization_code.reused'") ==
          "1");
}

TEST_CASE("refused codes are limited for a network", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto anyone = world.client();
    auto const attempt = [&] {
        return anyone.post("/oauth/token",
            "grant_type=authorization_code&code=wrong&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback"
            "&code_verifier=" +
                flow.pkce.verifier + "&client_id=" + flow.client.id,
            {{"Content-Type", "application/x-www-form-urlencoded"}});
    };
    for (int i = 0; i < 100; ++i)
        REQUIRE(oauth::error_of(attempt()) == "invalid_grant");
    auto const refused = attempt();
    CHECK(refused.status == 429);
    CHECK_FALSE(refused.header("retry-after").empty());
    CHECK(flow.exchange(flow.code()).status == 200);
}

TEST_CASE(
    "of several exchanges of one code at once at most one succeeds, and its tokens are revoked", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto const code = flow.code();
    std::vector<testing::HttpResponse> answers(8);
    auto const statuses = at_once(
        8, [&](int number) { return answers[static_cast<std::size_t>(number)] = flow.exchange(code); });
    CHECK(statuses.at(200) == 1);
    CHECK(statuses.at(400) == 7);
    for (auto const& answer : answers)
        if (answer.status == 200) CHECK(flow.userinfo(oauth::Tokens::of(answer)) == 401);
}

TEST_CASE("a code lives for 60 s", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto const in_time = flow.code(), late = flow.code();
    world.clock.advance(60s - 1ms);
    CHECK(flow.exchange(in_time).status == 200);
    world.clock.advance(1ms);
    CHECK(oauth::error_of(flow.exchange(late)) == "invalid_grant");
}

TEST_CASE("a code works only for its client, tenant and environment", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto const code = flow.code();
    auto const other = oauth::new_client(world);
    CHECK(oauth::error_of(oauth::exchange(world, other, code, flow.pkce)) == "invalid_grant");
    for (auto const* const tenant : {"demo", "other-sandbox"}) {
        auto elsewhere = oauth::new_client(world, {{"clientId", flow.client.id}}, tenant);
        CHECK(oauth::error_of(oauth::exchange(world, elsewhere, code, flow.pkce)) == "invalid_grant");
    }
    CHECK(flow.exchange(code).status == 200); // no attempt of another client used it up
    for (auto const& bad : {std::string("x"), std::string(43, 'A'), std::string(5000, 'a')})
        CHECK(oauth::error_of(flow.exchange(bad)) == "invalid_grant");
}

TEST_CASE("a code works only with the redirect URI of its request", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    for (auto const* const uri : {"https://app.example.com/callback/", "https://app.example.com/callback?x=1",
             "https://app.example.com/", "HTTPS://app.example.com/callback",
             "https://evil.example/callback"}) {
        INFO(uri);
        CHECK(oauth::error_of(flow.exchange(flow.code(), {{"redirect_uri", uri}})) == "invalid_grant");
    }
    CHECK(oauth::error_of(flow.exchange(flow.code(), {{"redirect_uri", ""}})) == "invalid_request");
}

TEST_CASE("a code works only with the verifier of its challenge", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto const code = flow.code();
    auto const wrong = oauth::Pkce::make().verifier;
    CHECK(oauth::error_of(flow.exchange(code, {{"code_verifier", wrong}})) == "invalid_grant");
    CHECK(oauth::error_of(flow.exchange(code)) == "invalid_grant"); // the wrong guess used it up
    CHECK(oauth::error_of(flow.exchange(flow.code(), {{"code_verifier", ""}})) == "invalid_grant");
    CHECK(oauth::error_of(flow.exchange(flow.code(), {{"code_verifier", flow.pkce.challenge}})) ==
          "invalid_grant");
    for (auto const& malformed : {std::string(42, 'a'), std::string(129, 'a'), std::string(43, '+')})
        CHECK(
            oauth::error_of(flow.exchange(flow.code(), {{"code_verifier", malformed}})) == "invalid_request");
}

TEST_CASE("a code of a request without a challenge refuses a verifier", "[oauth]")
{
    World const world;
    auto const client = oauth::new_confidential_client(world);
    auto browser = oauth::signed_in(world, world.new_account());
    auto const pkce = oauth::Pkce::make();
    auto const code = [&] {
        return oauth::authorize(browser,
            oauth::request_of(client, pkce, {{"code_challenge", ""}, {"code_challenge_method", ""}}));
    };
    CHECK(oauth::error_of(oauth::exchange(world, client, code(), pkce)) == "invalid_grant");
    CHECK(oauth::exchange(world, client, code(), pkce, {{"code_verifier", ""}}).status == 200);
}

TEST_CASE("a code of a browser's session that has ended is refused", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto const code = flow.code();
    SECTION("signed out")
    {
        flow.browser.fill_in("/account", {}, "/logout");
    }
    SECTION("disabled")
    {
        auto const owner = world.new_owner();
        CHECK(world.as(owner)
                  .patch("/v1/members/" + flow.user.user_id, body({{"status", "disabled"}}))
                  .status == 200);
    }
    SECTION("unverified, where the settings require a verified email")
    {
        world.set({{"emailVerification", "required"}});
    }
    CHECK(oauth::error_of(flow.exchange(code)) == "invalid_grant");
}

TEST_CASE("the token endpoint reads forms only, and names what is wrong", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto anyone = world.client();
    auto const json = anyone.post("/oauth/token", body({{"grant_type", "authorization_code"}}));
    CHECK(json.status == 400);
    CHECK(oauth::error_of(json) == "invalid_request");
    auto const send = [&](std::string const& form) {
        return anyone.post("/oauth/token", form, {{"Content-Type", "application/x-www-form-urlencoded"}});
    };
    auto const id = "client_id=" + flow.client.id;
    CHECK(oauth::error_of(send(id)) == "invalid_request");
    CHECK(oauth::error_of(send(id + "&grant_type=")) == "invalid_request");
    CHECK(oauth::error_of(send(id + "&grant_type=authorization_code")) == "invalid_request");
    CHECK(oauth::error_of(send(id + "&grant_type=refresh_token")) == "invalid_request");
    for (auto const* const grant : {"password", "implicit", "client_credentials"})
        CHECK(oauth::error_of(send(id + "&grant_type=" + grant)) == "unsupported_grant_type");
    auto const repeated = send(id + "&grant_type=authorization_code&code=a&code=b");
    CHECK(oauth::error_of(repeated) == "invalid_request");
    CHECK(text(repeated.json(), "error_description").find("code") != std::string::npos);
    CHECK(oauth::error_of(send(id + "&grant_type=%ff")) == "invalid_request");
    CHECK(oauth::error_of(send(id + "&grant_type=a%00")) == "invalid_request");
    CHECK(oauth::error_of(send("%")) == "invalid_request");
    auto const large = send(id + "&x=" + std::string(16 << 10, 'x'));
    CHECK(large.status == 413);
    CHECK(oauth::error_of(large) == "invalid_request");
    CHECK(anyone.get("/oauth/token").status == 405);
    // Parameters in the query do not count.
    CHECK(oauth::error_of(anyone.post("/oauth/token?grant_type=authorization_code&" + id, "",
              {{"Content-Type", "application/x-www-form-urlencoded"}})) == "invalid_request");
}

TEST_CASE("routes for accounts, factors and members refuse tokens of a client", "[oauth]")
{
    World const world;
    auto const owner = world.new_owner();
    auto const client = oauth::new_client(world);
    auto app = world.with(oauth::tokens_of(world, client, owner).access_token);
    for (auto const* const path : {"/v1/auth/me", "/v1/auth/sessions", "/v1/auth/mfa", "/v1/auth/activity",
             "/v1/auth/me/export", "/v1/auth/passkeys", "/v1/auth/identities", "/v1/members", "/v1/settings",
             "/v1/clients", "/v1/keys", "/v1/webhooks", "/v1/audit", "/v1/erasures"}) {
        INFO(path);
        auto const r = app.get(path);
        CHECK(r.status == 403);
        CHECK(error_of(r) == "FORBIDDEN");
    }
    CHECK(app.post("/v1/auth/password", "{}").status == 403);
    CHECK(app.post("/v1/auth/mfa/totp/setup", "{}").status == 403);
    CHECK(app.post("/v1/auth/reauthenticate", "{}").status == 403);
    CHECK(app.del("/v1/auth/me").status == 403);
    CHECK(app.get("/oauth/userinfo").status == 200);
}

TEST_CASE("a token of a built-in client acts like the user", "[oauth]")
{
    World const world;
    auto const owner = world.new_owner();

    bool const is_board = GENERATE(false, true);
    std::string const id = is_board ? "tetrad-board" : "tetrad-console";
    auto const redirect_uri = is_board ? "http://demo-sandbox.feedback.localhost:8101/board/callback"
                                       : oauth::issuer_of(world) + "/console/callback";
    oauth::Client const client{.id = id, .secret = {}, .redirect_uri = redirect_uri};
    auto const tokens = oauth::tokens_of(world, client, owner, {{"scope", "openid offline_access"}});
    CHECK(text(claims_of(tokens.access_token), "client_id") == id);
    CHECK(tokens.scope == "openid");
    CHECK(tokens.refresh_token.empty());
    auto app = world.with(tokens.access_token);
    CHECK(app.get("/v1/auth/me").status == 200);
    CHECK(app.get("/v1/members").status == 200);
    CHECK(app.get("/v1/clients").status == 200);
}

TEST_CASE("sessions of clients that can refresh are listed and can be ended", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto const online = flow.tokens({{"scope", "openid"}}), offline = flow.tokens();
    auto caller = world.as(flow.user);
    auto const sid = text(claims_of(offline.access_token), "sid");
    std::vector<std::string> listed;
    for (auto const& session : all_items(caller, "/v1/auth/sessions"))
        listed.push_back(text(session, "sessionId"));
    CHECK(std::ranges::count(listed, sid) == 1);
    CHECK(std::ranges::count(listed, text(claims_of(online.access_token), "sid")) == 0);
    CHECK(caller.del("/v1/auth/sessions/" + sid).status == 200);
    CHECK(flow.userinfo(offline) == 401);
    CHECK(flow.userinfo(online) == 200);
}

TEST_CASE("the exchange of a code is audited, and is no sign-in from a new browser", "[oauth]")
{
    World const world;
    CodeFlow flow(world);
    auto const sid = text(claims_of(flow.tokens().access_token), "sid");
    auto master = world.as_master();
    auto const entries = all_items(master, "/v1/audit");
    auto const found = std::ranges::find_if(
        entries, [&](boost::json::value const& entry) { return text(entry, "subjectId") == sid; });
    REQUIRE(found != entries.end());
    CHECK(text(*found, "action") == "session.created");
    CHECK(text(found->at("after"), "clientId") == flow.client.id);
    for (int i = 0; i < 12; ++i)
        flow.tokens();
    // After 12 sessions of clients, a sign-in from another browser is still reported.
    auto elsewhere = world.client();
    elsewhere.set("User-Agent", "Another/1.0");
    CHECK(world.login(flow.user, elsewhere).status == 200);
    CHECK(mails_about(world, flow.user.email, "New sign-in").size() == 1);
}
