#include "external_scene.hpp"
#include "factors.hpp"

#include <catch2/catch.hpp>

// The identity providers with which users sign in on the hosted pages, and what differs between them.

namespace {

namespace json = boost::json;

} // namespace

TEST_CASE("the service authenticates at the token endpoint as the provider supports it", "[external]")
{
    SECTION("HTTP Basic")
    {
        ExternalScene scene;
        PageClient client(scene.world);
        CHECK(scene.sign_in(client, World::new_email()).location == "/account");
    }
    SECTION("the form, as the metadata says")
    {
        ExternalScene scene;
        scene.provider.wants_basic = false;
        scene.provider.metadata_changes = {
            {"token_endpoint_auth_methods_supported", json::array{"client_secret_post"}}};
        PageClient client(scene.world);
        CHECK(scene.sign_in(client, World::new_email()).location == "/account");
        CHECK(scene.provider.last_exchange().at("client_secret") == CodeProvider::client_secret);
    }
    SECTION("the form, as the setting says, without metadata")
    {
        ExternalScene scene;
        auto& provider = scene.provider;
        provider.wants_basic = false;
        provider.metadata_changes = {{"issuer", "https://elsewhere.example.com"}}; // would be refused
        scene.configure(
            {{"authorizationEndpoint", provider.url("/authorize")}, {"tokenEndpoint", provider.url("/token")},
                {"jwksUrl", provider.url("/jwks")}, {"tokenEndpointAuthMethod", "client_secret_post"}});
        PageClient client(scene.world);
        CHECK(scene.sign_in(client, World::new_email()).location == "/account");
    }
    SECTION("a public client")
    {
        ExternalScene scene({{"clientSecret", nullptr}});
        scene.provider.has_secret = false;
        PageClient client(scene.world);
        CHECK(scene.sign_in(client, World::new_email()).location == "/account");
    }
}

TEST_CASE("the email may come from the userinfo endpoint, for the same subject only", "[external]")
{
    ExternalScene scene;
    PageClient client(scene.world);
    auto const email = World::new_email();
    json::object const without{{"email", nullptr}, {"email_verified", nullptr}};
    scene.provider.userinfo = {{"sub", "another"}, {"email", email}, {"email_verified", true}};
    CHECK(scene.sign_in(client, email, without).status == 400);
    scene.provider.userinfo["sub"] = email;
    CHECK(scene.sign_in(client, email, without).says("Signed in as " + email));
}

TEST_CASE("a response that the browser posts is read like one in the address", "[external]")
{
    ExternalScene scene;
    auto const& world = scene.world;
    PageClient client(world);
    auto const back = scene.provider.sign_in(begin_at(client, "acme"), World::new_email());
    PageClient::Fields form{{"user", R"({"name":{"firstName":"Ada"}})"}};
    for (auto const& [name, value] : parameters_of(back.substr(back.find('?') + 1)))
        form.emplace_back(name, value);
    // Browsers send the request of another site without the cookies of this host.
    PageClient without_cookies(world);
    auto const posted = without_cookies.post_raw("/oauth/external/callback", form,
        {{"Origin", "https://appleid.apple.com"}, {"Sec-Fetch-Site", "cross-site"}});
    REQUIRE(posted.status == 303);
    CHECK(posted.location.starts_with("/oauth/external/callback?state="));
    CHECK(posted.location.find("firstName") == std::string::npos);
    CHECK(client.get(posted.location).location == "/account");
    CHECK(without_cookies.post_raw("/oauth/external/callback", {}).location == "/oauth/external/callback");
    CHECK(without_cookies.get_raw("/oauth/external/callback").status == 410);
}

TEST_CASE("users sign in with Apple", "[external]")
{
    auto const key = crypto::SigningKey::generate();
    ExternalScene scene(
        {{"type", "apple"}, {"name", "apple"}, {"displayName", nullptr}, {"clientSecret", nullptr},
            {"teamId", "TEAM123456"}, {"keyId", "KEY1234567"}, {"privateKey", key.to_pem().reveal()}});
    scene.provider.wants_basic = false;
    scene.provider.sends_issuer = false;
    PageClient client(scene.world);
    CHECK(client.get("/login").says("Continue with Apple"));
    auto const location = begin_at(client, "apple");
    CHECK(parameters_of(location.substr(location.find('?') + 1)).at("response_mode") == "form_post");
    auto const email = World::new_email();
    HostedPage page;
    auto const has_keys = [&] {
        page = client.get(
            scene.provider.sign_in(begin_at(client, "apple"), email, {{"email_verified", "true"}}));
        return page.status != 503;
    };
    testing::eventually(has_keys, 1min);
    CHECK(page.says("Signed in as " + email));
    auto const secret = crypto::parse_jws(scene.provider.last_exchange().at("client_secret")).value();
    CHECK(secret.kid() == "KEY1234567");
    CHECK(text(secret.payload, "iss") == "TEAM123456");
    CHECK(text(secret.payload, "sub") == CodeProvider::client_id);
    CHECK(text(secret.payload, "aud") == scene.provider.issuer());
    CHECK(crypto::verify_es256(crypto::PublicKey::from_jwk(key.public_jwk("KEY1234567")).value(), secret));
}

TEST_CASE("users sign in with GitHub", "[external]")
{
    ExternalScene scene;
    auto& provider = scene.provider;
    provider.wants_basic = false;
    scene.configure({{"type", "github"}, {"name", "github"}, {"displayName", nullptr},
        {"authorizationEndpoint", provider.url("/authorize")}, {"tokenEndpoint", provider.url("/token")},
        {"userinfoEndpoint", provider.url("/user")}});
    PageClient client(scene.world);
    CHECK(client.get("/login").says("Continue with GitHub"));
    auto const email = World::new_email();
    auto const sign_in = [&] {
        auto const location = begin_at(client, "github");
        auto const query = parameters_of(location.substr(location.find('?') + 1));
        CHECK(query.at("scope") == "user:email");
        CHECK_FALSE(query.contains("nonce"));
        return client.get(provider.sign_in(location, email));
    };
    provider.github_user = json::object{{"id", 583231}, {"login", "octocat"}, {"email", email}};
    CHECK(sign_in().status == 400); // the profile's email may be unverified
    json::object primary{{"email", email}, {"primary", true}, {"verified", false}};
    json::object const other{{"email", "other@example.com"}, {"primary", false}, {"verified", true}};
    provider.github_emails = json::array{other, primary};
    CHECK(sign_in().status == 400);
    primary["verified"] = true;
    provider.github_emails = json::array{other, primary};
    CHECK(sign_in().says("Signed in as " + email));
    CHECK(scene.world.postgres.query("SELECT issuer || ' ' || subject FROM identities") ==
          provider.issuer() + " 583231");
    // GitHub issues no id tokens, so the API accepts none of it.
    Provider const forger(scene.world.clock, provider.issuer());
    CHECK(outcome(sign_in_externally(scene.world, forger.token(email))) == "401 INVALID_CREDENTIALS");
}

TEST_CASE("the API accepts id tokens of a provider whose keys its metadata names", "[external]")
{
    ExternalScene scene;
    auto const email = World::new_email();
    PageClient client(scene.world);
    REQUIRE(scene.sign_in(client, email).location == "/account");
    Provider const forger(scene.world.clock, scene.provider.issuer());
    CHECK(outcome(sign_in_externally(scene.world, forger.token(email))) == "401 INVALID_CREDENTIALS");
}

TEST_CASE("a provider that fails has a page of its own, and no effect on others", "[external]")
{
    World world;
    CodeProvider good(world), bad(world);
    world.set({{"identityProviders", json::array{good.setting(), bad.setting({{"name", "bad"}})}}});
    PageClient client(world);
    auto const fails = [&](HostedPage const& page) {
        CHECK(page.status == 503);
        CHECK(page.alert.starts_with("The other service does not answer at the moment."));
        CHECK_FALSE(page.response.header("retry-after").empty());
        CHECK(page.links_to("/login"));
    };
    SECTION("metadata of another issuer")
    {
        bad.metadata_changes = {{"issuer", good.issuer()}};
        fails(client.get_raw("/oauth/external/bad"));
    }
    SECTION("a token endpoint that does not know the client")
    {
        bad.token_status = 401;
        fails(client.get_raw(bad.sign_in(begin_at(client, "bad"), World::new_email())));
        auto const log = world.logged();
        CHECK(log.find("token endpoint: status 401, invalid_client") != std::string::npos);
        CHECK(log.find(bad.last_exchange().at("code")) == std::string::npos);
        CHECK(log.find("s3cret") == std::string::npos);
    }
    CHECK(begin_at(client, "acme").starts_with(good.url("/authorize?realm=1&response_type=code")));
}
