#include "core/text.hpp"
#include "crypto/password.hpp"
#include "page_client.hpp"
#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>
#include <tuple>

// Interoperability with other implementations: argon2 and bcrypt make password hashes, otplib makes codes,
// jsQR reads QR codes, jose verifies access tokens, oidc-provider issues id tokens, Twilio's client reads
// answers and signs webhooks.

namespace {

namespace json = boost::json;

/// The system's time, because the other programs use it.
World::Options today()
{
    return {.now = core::SystemClock().now()};
}

/// The output of a script of node/ for `input`.
std::string run(std::string const& script, json::value const& input)
{
    testing::TemporaryDirectory const folder("auth-mfa-peers");
    std::string const file = folder.path() + "/input.json";
    std::ofstream(file) << json::serialize(input);
    return testing::output_of({"node", NPM_FOLDER "/" + script, file}, std::chrono::minutes(1));
}

/// An OpenID provider at which users have signed in (node/identity_provider.mjs).
class IdentityProvider {
public:
    IdentityProvider()
        : process_(
              {.argv = {"node", NPM_FOLDER "/identity_provider.mjs"}, .output = folder_.path() + "/output"})
    {
        REQUIRE(testing::eventually([this] { return read(); }, std::chrono::minutes(1)));
    }

    std::string token(std::string_view person) const { return text(said_.at("tokens"), person); }

    /// An element of the setting `identityProviders`.
    json::object as_setting(std::string_view audience) const
    {
        return {{"issuer", said_.at("issuer")}, {"audience", audience}, {"jwksUrl", said_.at("jwksUrl")}};
    }

private:
    bool read()
    {
        std::ifstream lines(folder_.path() + "/output");
        for (std::string line; std::getline(lines, line);) {
            boost::system::error_code incomplete;
            if (line.starts_with("{\"issuer\"")) said_ = json::parse(line, incomplete);
        }
        return said_.is_object();
    }

    testing::TemporaryDirectory folder_;
    testing::Process process_;
    json::value said_;
};

/// An OpenID provider with the authorization code flow (node/oidc_provider.mjs), which needs PKCE.
class CodeFlowProvider {
public:
    CodeFlowProvider(std::string const& redirect_uri, json::object const& client)
    {
        json::object input = client;
        input["redirectUri"] = redirect_uri;
        std::ofstream(folder_.path() + "/input.json") << json::serialize(input);
        process_.emplace(testing::Process::Options{
            .argv = {"node", NPM_FOLDER "/oidc_provider.mjs", folder_.path() + "/input.json"},
            .output = folder_.path() + "/output"});
        REQUIRE(testing::eventually([this] { return read(); }, std::chrono::minutes(1)));
    }

    std::string issuer() const { return text(said_, "issuer"); }

    /// The user signs in at the provider, to which `location` has sent the browser. Returns the path and
    /// query to which the provider sends the browser back.
    std::string sign_in(std::string const& user, std::string const& location) const
    {
        testing::HttpClient browser(issuer());
        auto const back = testing::require(
            200, browser.get("/sign-in?login=" + user + "&url=" + core::percent_encode(location)));
        return back.body.substr(back.body.find("/oauth/external/callback"));
    }

private:
    bool read()
    {
        std::ifstream lines(folder_.path() + "/output");
        for (std::string line; std::getline(lines, line);) {
            boost::system::error_code incomplete;
            if (line.starts_with("{\"port\"")) said_ = json::parse(line, incomplete);
        }
        return said_.is_object();
    }

    testing::TemporaryDirectory folder_;
    std::optional<testing::Process> process_;
    json::value said_;
};

} // namespace

TEST_CASE("the codes of an authenticator app are accepted", "[peers]")
{
    World const world;
    auto ada = world.new_account();
    auto const setup = world.as(ada).post("/v1/auth/mfa/totp/setup", "{}");
    REQUIRE(setup.status == 200);
    auto const address = text(setup.json(), "otpauthUrl");
    auto const start =
        std::chrono::duration_cast<std::chrono::milliseconds>(world.clock.now().time_since_epoch());
    json::array inputs;
    for (int i = 0; i < 20; ++i)
        inputs.push_back(json::object{{"otpauthUrl", address}, {"at", (start + i * 60s).count()}});
    std::istringstream codes(run("totp.mjs", inputs));
    std::string code;
    REQUIRE(std::getline(codes, code));
    REQUIRE(world.as(ada).post("/v1/auth/mfa/totp/confirm", body({{"code", code}})).status == 200);
    for (int i = 1; i < 20; ++i) {
        world.clock.advance(60s);
        REQUIRE(std::getline(codes, code));
        CHECK(world.verify(world.challenged(ada), "totp", code).status == 200);
    }
}

TEST_CASE("the QR code on the page has the address for an authenticator app", "[peers]")
{
    World const world;
    constexpr char const* brand = "Démo & <Söhne>: Bücher, Möbel und alles für das Büro";
    world.set({{"brand", brand}});
    auto const ada = world.new_account();
    PageClient client(world);
    client.sign_in(ada);
    auto const page = client.fill_in("/enroll/totp", {});
    auto const begin = page.body.find("<svg class=\"qr\"");
    REQUIRE(begin != std::string::npos);
    auto const read = run(
        "qr.mjs", json::object{{"svg", page.body.substr(begin, page.body.find("</svg>", begin) - begin)}});
    auto const secret = page.body.find("data-text=\"") + 11;
    CHECK(read == "otpauth://totp/" + core::percent_encode(brand) + ':' + core::percent_encode(ada.email) +
                      "?secret=" + page.body.substr(secret, 32) + "&issuer=" + core::percent_encode(brand) +
                      "&algorithm=SHA1&digits=6&period=30");
}

TEST_CASE("jose verifies access tokens with the published keys", "[peers]")
{
    World const world(today());
    auto const base = "http://127.0.0.1:" + std::to_string(world.host->port());
    auto const issuer = text(world.client().get("/.well-known/openid-configuration").json(), "issuer");
    auto const ada = world.new_account();
    auto const claims =
        json::parse(run("tokens.mjs", json::object{{"jwksUrl", base + "/.well-known/jwks.json"},
                                          {"issuer", issuer}, {"token", ada.access_token}}));
    CHECK(text(claims, "sub") == ada.user_id);
    CHECK(text(claims, "tenant") == "demo");
    CHECK(text(claims, "env") == "sandbox");
    CHECK(text(claims, "role") == "user");
}

TEST_CASE("users of an identity provider sign in", "[peers]")
{
    IdentityProvider const provider;
    // The world is created after the provider. Otherwise the world's clock would show a time before the
    // tokens were issued.
    World const world(today());
    auto const sign_in = [&](std::string const& token, std::string const& tenant = "demo-sandbox") {
        return world.client(tenant).post("/v1/auth/external", body({{"idToken", token}}));
    };
    CHECK(sign_in(provider.token("rs256")).status == 401); // not configured yet
    REQUIRE(
        world.as_master()
            .patch("/v1/settings",
                body({{"identityProviders", {provider.as_setting("rs256"), provider.as_setting("es256")}}}))
            .status == 200);
    // If the provider's keys arrive too late, the service fetches them again after ten seconds.
    REQUIRE(testing::eventually([&] { return sign_in(provider.token("rs256")).status < 300; }, 1min));

    // A second sign-in of the same person gives the same user.
    auto const again = sign_in(provider.token("again"));
    REQUIRE(again.status == 200);
    CHECK(text(again.json().at("user"), "email") == "rita@example.com");
    auto const first = sign_in(provider.token("es256"));
    CHECK(first.status == 201);
    CHECK(world.postgres.query(
              "SELECT count(*) FROM users WHERE email IN ('rita@example.com', 'emil@example.com')") == "2");

    // Such a user has no password, so it can neither enrol a phone nor sign in with a password.
    Account rita{.tenant = "demo-sandbox", .email = "rita@example.com"};
    rita.take(again);
    auto const setup = world.as(rita).post("/v1/auth/mfa/sms/setup", body({{"phone", World::new_phone()}}));
    CHECK(setup.status == 403);
    CHECK(error_of(setup) == "MFA_PASSWORD_REQUIRED");
    rita.password = World::password;
    CHECK(world.login(rita).status == 401);

    // An existing account is never linked.
    REQUIRE(
        world.client()
            .post("/v1/auth/register", body({{"email", "taken@example.com"}, {"password", World::password}}))
            .status == 201);
    CHECK(error_of(sign_in(provider.token("taken"))) == "CONFLICT");

    CHECK(sign_in(provider.token("elsewhere")).status == 401); // for another client of the provider
    CHECK(sign_in(provider.token("unverified")).status == 400);
    CHECK(sign_in(provider.token("rs256"), "demo").status == 401);
    CHECK(sign_in(provider.token("rs256"), "other-sandbox").status == 401);
    auto altered = provider.token("rs256");
    altered[altered.size() - 10] = altered[altered.size() - 10] == 'A' ? 'B' : 'A';
    CHECK(sign_in(altered).status == 401);
    CHECK(sign_in(rita.access_token).status == 401);
    CHECK(world.with(provider.token("rs256")).get("/v1/auth/me").status == 401);
    world.clock.advance(1h + 1min); // past the token's expiry and the allowed clock skew
    CHECK(sign_in(provider.token("rs256")).status == 401);
}

TEST_CASE("users of oidc-provider sign in on the hosted pages", "[peers]")
{
    World const world(today());
    auto const own = text(world.client().get("/.well-known/openid-configuration").json(), "issuer");
    auto const [method, secret] = GENERATE(table<std::string, std::string>(
        {{"client_secret_basic", "a secret: with /+%&="}, {"client_secret_post", "another"}, {"none", ""}}));
    INFO(method);
    json::object client{{"method", method}};
    if (!secret.empty()) client["secret"] = secret;
    CodeFlowProvider const provider(own + "/oauth/external/callback", client);
    json::object setting{{"name", "foreign"}, {"issuer", provider.issuer()}, {"clientId", "tetrad"}};
    if (!secret.empty()) setting["clientSecret"] = secret;
    if (method == "client_secret_post") setting["tokenEndpointAuthMethod"] = method;
    world.set({{"identityProviders", json::array{setting}}});

    PageClient browser(world);
    HostedPage page;
    auto const sign_in = [&](std::string const& user) {
        world.clock.advance(core::SystemClock().now() - world.clock.now()); // tokens are issued now
        auto const begun = browser.get_raw("/oauth/external/foreign");
        INFO(begun.body);
        REQUIRE(begun.status == 303);
        page = browser.get(provider.sign_in(user, begun.location));
        return page.status != 503; // the provider's keys may arrive too late
    };
    REQUIRE(testing::eventually([&] { return sign_in("uma"); }, 1min));
    CHECK(page.status == 400); // the email is not verified
    REQUIRE(testing::eventually([&] { return sign_in("rita"); }, 1min));
    CHECK(page.location == "/account");
    CHECK(page.says("Signed in as rita@example.com"));
}

TEST_CASE("Twilio's client can read the responses of the Twilio test server", "[peers]")
{
    testing::TwilioServer twilio;
    json::object const input{{"baseUrl", twilio.url()}, {"accountSid", testing::TwilioServer::account_sid},
        {"authToken", testing::TwilioServer::auth_token}, {"from", testing::TwilioServer::from},
        {"to", "+4915112345678"}, {"webhookUrl", "http://x"}, {"form", json::object()}};
    auto const accepted = json::parse(run("twilio.mjs", input));
    auto const& message = accepted.at("message");
    CHECK(text(message, "sid").size() == 34);
    CHECK(text(message, "status") == "queued");
    CHECK(text(message, "to") == "+4915112345678");
    CHECK(text(message, "created") == "2026-01-01T00:00:00.000Z");
    twilio.refuse_with(400, 21610);
    auto const refused = json::parse(run("twilio.mjs", input));
    CHECK(refused.at("error").at("code") == 21610);
    CHECK(refused.at("error").at("status") == 400);
    auto stranger = input;
    stranger["authToken"] = "wrong";
    CHECK(json::parse(run("twilio.mjs", stranger)).at("error").at("status") == 401);
}

TEST_CASE("STOP and START are obeyed when Twilio's signature is right", "[peers]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const phone = World::new_phone();
    auto hook = world.client();
    auto const tell = [&](std::string const& word, std::string const& signed_word) {
        auto const form = [&](std::string const& said) {
            return json::object{{"From", phone}, {"To", testing::TwilioServer::from}, {"Body", said},
                {"MessageSid", "SM00000000000000000000000000000009"}, {"NumSegments", "1"}};
        };
        auto const output = json::parse(run("twilio.mjs",
            json::object{{"baseUrl", twilio.url()}, {"accountSid", testing::TwilioServer::account_sid},
                {"authToken", testing::TwilioServer::auth_token}, {"from", testing::TwilioServer::from},
                {"to", "+15005550006"},
                {"webhookUrl", "http://demo-sandbox.auth.localhost/webhooks/sms/twilio"},
                {"form", form(signed_word)}}));
        std::string const sent = "From=%2B" + phone.substr(1) + "&To=%2B" +
                                 std::string(testing::TwilioServer::from).substr(1) + "&Body=" + word +
                                 "&MessageSid=SM00000000000000000000000000000009&NumSegments=1";
        return hook.post("/webhooks/sms/twilio", sent,
            {{"Content-Type", "application/x-www-form-urlencoded"},
                {"X-Twilio-Signature", text(output, "signature")}});
    };
    auto const gets_code = [&] { // the response does not show an opt-out
        auto const before = twilio.requests();
        auto caller = world.as(world.new_account());
        REQUIRE(caller.post("/v1/auth/mfa/sms/setup", body({{"phone", phone}})).status == 200);
        return twilio.requests() - before == 1;
    };
    CHECK(tell("STOP", "START").status == 401);
    CHECK(gets_code());
    auto const stopped = tell("STOP", "STOP");
    CHECK(stopped.status == 200);
    CHECK(stopped.header("content-type").starts_with("text/xml"));
    CHECK_FALSE(gets_code());
    CHECK(tell("Hello", "Hello").status == 200);
    CHECK_FALSE(gets_code());
    CHECK(tell("START", "START").status == 200);
    CHECK(gets_code());
}

TEST_CASE("users whose hashes other software made can sign in", "[peers]")
{
    World const world({.environment = {{"ARGON2_MEMORY_KIB", "19456"}}});
    // More than the 72 bytes that bcrypt reads, and a password with characters of several bytes.
    std::string const plain = World::password, accented = "caf\u00e9 au lait \u00e0 volont\u00e9";
    std::string long_password;
    for (int i = 0; i < 10; ++i)
        long_password += "battery " + std::to_string(i) + " ";
    std::vector<std::tuple<std::string, std::string>> const users = [&] {
        json::array inputs;
        for (auto const& password : {plain, accented, long_password}) {
            for (auto const* algorithm :
                {"argon2id", "argon2id of the highest cost", "bcrypt", "bcrypt of PHP"})
                inputs.push_back(json::object{{"algorithm", algorithm}, {"password", password}});
        }
        std::vector<std::tuple<std::string, std::string>> hashed;
        auto const output = json::parse(run("hashes.mjs", inputs));
        for (auto const& hash : output.as_array())
            hashed.emplace_back(text(inputs[hashed.size()], "password"), std::string(hash.as_string()));
        return hashed;
    }();
    for (auto const& [password, hash] : users) {
        INFO(hash);
        REQUIRE(crypto::is_importable_hash(hash));
        Account ada = world.new_account();
        world.postgres.query(
            "UPDATE users SET password_hash = '" + hash + "' WHERE user_id = '" + ada.user_id + "'");
        auto const stored = [&] {
            return world.postgres.query(
                "SELECT password_hash FROM users WHERE user_id = '" + ada.user_id + "'");
        };
        CHECK(world.login(ada).status == (password == ada.password ? 200 : 401));
        ada.password = password;
        CHECK(world.login(ada).status == 200);
        CHECK_FALSE(crypto::needs_rehash(stored()));
        CHECK(world.login(ada).status == 200);
        ada.password = "x" + password;
        CHECK(world.login(ada).status == 401);
    }
}

TEST_CASE("argon2 verifies the hashes of this service", "[peers]")
{
    auto const hash = crypto::hash_password("caf\u00e9 au lait");
    auto const output = json::parse(
        run("hashes.mjs", json::array{json::object{{"verify", hash}, {"password", "caf\u00e9 au lait"}},
                              json::object{{"verify", hash}, {"password", "cafe au lait"}}}));
    CHECK(output == json::array{true, false});
}
