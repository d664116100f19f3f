#include "core/text.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/jwt.hpp"
#include "domain/external_request.hpp"
#include "tokens/external_sign_ins.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

// The domain part of sign-ins with identity providers.

using namespace auth_mfa;
using namespace std::chrono_literals;

namespace {

namespace json = boost::json;

constexpr char const* issuer = "https://id.example.com";
core::Time const now{1'767'225'600s};

IdentityProvider provider(json::object const& changes = {})
{
    json::object stored{
        {"name", "acme"}, {"type", "oidc"}, {"issuer", issuer}, {"audience", "app"}, {"clientId", "app"}};
    for (auto const& [name, value] : changes)
        stored[name] = value;
    return IdentityProvider::from_json(stored);
}

bool is_https(std::string const& url)
{
    return url.starts_with("https://");
}

std::optional<ProviderMetadata> metadata(json::object const& changes = {})
{
    json::object document{{"issuer", issuer}, {"authorization_endpoint", "https://id.example.com/authorize"},
        {"token_endpoint", "https://id.example.com/token"}, {"jwks_uri", "https://id.example.com/jwks"}};
    for (auto const& [name, value] : changes)
        document[name] = value;
    return parse_provider_metadata(json::serialize(document), issuer, is_https);
}

} // namespace

TEST_CASE("the metadata of a provider is read if it is complete and of this issuer", "[external]")
{
    auto const read = metadata();
    REQUIRE(read);
    CHECK(read->authorization_endpoint == "https://id.example.com/authorize");
    CHECK(read->token_endpoint == "https://id.example.com/token");
    CHECK(read->jwks_url == "https://id.example.com/jwks");
    CHECK(read->userinfo_endpoint.empty());
    CHECK_FALSE(read->sends_issuer);
    CHECK(read->authentication == ProviderAuthentication::client_secret_basic);
    CHECK(metadata({{"authorization_response_iss_parameter_supported", true}})->sends_issuer);
    CHECK(metadata({{"userinfo_endpoint", "https://id.example.com/me"}})->userinfo_endpoint ==
          "https://id.example.com/me");

    CHECK_FALSE(metadata({{"issuer", "https://id.example.com/"}}));
    CHECK_FALSE(metadata({{"issuer", "https://evil.example.com"}}));
    for (auto const* name : {"issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"}) {
        INFO(name);
        CHECK_FALSE(metadata({{name, nullptr}}));
        CHECK_FALSE(metadata({{name, 1}}));
        CHECK_FALSE(metadata({{name, "javascript:alert(1)"}}));
    }
    CHECK_FALSE(metadata({{"token_endpoint", "http://id.example.com/token"}}));
    for (auto const* text : {"", "[]", "{", "null"})
        CHECK_FALSE(parse_provider_metadata(text, issuer, is_https));
}

TEST_CASE("the metadata decides how the client authenticates, unless the setting does", "[external]")
{
    auto const with = [](json::array const& methods) {
        return metadata({{"token_endpoint_auth_methods_supported", methods}}).value();
    };
    using enum ProviderAuthentication;
    CHECK(with({"client_secret_post", "client_secret_basic"}).authentication == client_secret_basic);
    CHECK(with({"client_secret_post"}).authentication == client_secret_post);
    CHECK(with({"private_key_jwt"}).authentication == client_secret_basic);
    auto const chosen = provider({{"tokenEndpointAuthMethod", "client_secret_post"}});
    CHECK(with_settings(with({"client_secret_basic"}), chosen).authentication == client_secret_post);
    CHECK(provider({{"type", "apple"}}).client->authentication == client_secret_post);
}

TEST_CASE("metadata is needed only for what the setting leaves out", "[external]")
{
    CHECK(needs_metadata(provider()));
    json::object all{{"authorizationEndpoint", "https://a.example"}, {"tokenEndpoint", "https://t.example"},
        {"jwksUrl", "https://j.example"}};
    CHECK_FALSE(needs_metadata(provider(all)));
    auto const used = with_settings(metadata().value(), provider(all));
    CHECK(used.authorization_endpoint == "https://a.example");
    CHECK(used.token_endpoint == "https://t.example");
    CHECK(used.jwks_url == "https://j.example");
    for (auto const& [name, value] : all) {
        auto some = all;
        some.erase(name);
        CHECK(needs_metadata(provider(some)));
    }
    CHECK_FALSE(needs_metadata(provider({{"type", "github"}})));
    CHECK_FALSE(needs_metadata({issuer, "app", "https://id.example.com/jwks"}));
    CHECK(metadata_url("https://id.example.com/a/") ==
          "https://id.example.com/a/.well-known/openid-configuration");
}

TEST_CASE("the request at the provider has state, nonce and PKCE of its own", "[external]")
{
    auto const one = ExternalSignIn::begin(provider(), now), two = ExternalSignIn::begin(provider(), now);
    CHECK(one.provider == "https://id.example.com app");
    CHECK(one.state.size() == 43);
    for (auto const member : {&ExternalSignIn::state, &ExternalSignIn::nonce, &ExternalSignIn::verifier})
        CHECK(one.*member != two.*member);
    auto const url = authorization_url(
        provider(), metadata().value(), one, "https://demo.auth.example.com/oauth/external/callback");
    CHECK(url ==
          "https://id.example.com/authorize?response_type=code&client_id=app&redirect_uri=https%3A%2F%2F"
          "demo.auth.example.com%2Foauth%2Fexternal%2Fcallback&scope=openid%20email&state=" +
              one.state + "&nonce=" + one.nonce +
              "&code_challenge=" + crypto::base64url::encode(crypto::view(crypto::sha256(one.verifier))) +
              "&code_challenge_method=S256");
    CHECK(url.find(one.verifier) == std::string::npos);
    auto with_query = metadata().value();
    with_query.authorization_endpoint += "?p=1";
    CHECK(authorization_url(provider({{"type", "apple"}}), with_query, one, "https://x/")
            .starts_with("https://id.example.com/authorize?p=1&response_type=code&"));
}

TEST_CASE("a provider is asked to authenticate the user again, as far as it can be asked", "[external]")
{
    auto const asked = [](json::object const& changes) {
        auto sign_in = ExternalSignIn::begin(provider(changes), now);
        sign_in.fresh = true;
        auto const url = authorization_url(provider(changes), metadata().value(), sign_in, "https://x/");
        auto const at = url.find("&prompt=");
        CHECK((at != std::string::npos || url.find("max_age") == std::string::npos));
        return at == std::string::npos ? std::string() : url.substr(at);
    };
    CHECK(asked({}) == "&prompt=login&max_age=0");
    CHECK(asked({{"issuer", "https://accounts.google.com"}}) == "&prompt=select_account");
    CHECK(asked({{"type", "apple"}}).empty());
    CHECK(asked({{"type", "github"}}).empty());
}

TEST_CASE("an authentication before the request is not fresh", "[external]")
{
    auto sign_in = ExternalSignIn::begin(provider(), now);
    ExternalIdentity identity{.issuer = issuer, .subject = "ada"};
    auto const is_fresh_at = [&](core::Time time) {
        identity.authenticated_at = time;
        return is_fresh(sign_in, identity);
    };
    CHECK(is_fresh_at(now - 24h)); // nothing was asked for
    sign_in.fresh = true;
    CHECK(is_fresh_at(now + 5min));
    CHECK(is_fresh_at(now - 60s));
    CHECK_FALSE(is_fresh_at(now - 61s));
    identity.authenticated_at.reset();
    CHECK(is_fresh(sign_in, identity));
}

TEST_CASE("a response must come from the provider to which the browser was sent", "[external]")
{
    auto promising = metadata().value();
    promising.sends_issuer = true;
    CHECK(is_from_provider(provider(), metadata().value(), ""));
    CHECK_FALSE(is_from_provider(provider(), promising, ""));
    for (auto const& known : {metadata().value(), promising}) {
        CHECK(is_from_provider(provider(), known, issuer));
        CHECK_FALSE(is_from_provider(provider(), known, "https://id.example.com/"));
        CHECK_FALSE(is_from_provider(provider(), known, "https://evil.example.com"));
    }
}

TEST_CASE("the token request has the secret in one place", "[external]")
{
    auto known = metadata().value();
    CodeExchange exchange{
        .code = "c&1", .verifier = "v", .redirect_uri = "https://x/", .secret = core::Secret("a:b c")};
    auto const client = provider({{"clientId", "a:pp"}}).client.value();
    auto const basic = token_request(client, known, exchange);
    CHECK(basic.body ==
          "grant_type=authorization_code&code=c%261&redirect_uri=https%3A%2F%2Fx%2F&code_verifier=v");
    CHECK(basic.authorization == "Basic " + crypto::base64::encode("a%3App:a%3Ab%20c"));
    known.authentication = ProviderAuthentication::client_secret_post;
    auto const post = token_request(client, known, exchange);
    CHECK(post.authorization.empty());
    CHECK(post.body.ends_with("&client_id=a%3App&client_secret=a%3Ab%20c"));
    exchange.secret = {};
    CHECK(token_request(client, known, exchange).body.ends_with("&client_id=a%3App"));
}

TEST_CASE("responses of providers are read strictly", "[external]")
{
    auto const tokens = parse_provider_tokens(R"({"access_token":"a","id_token":"i","token_type":"Bearer"})");
    REQUIRE(tokens);
    CHECK(tokens->access_token == "a");
    CHECK(tokens->id_token == "i");
    CHECK(parse_provider_tokens(R"({"access_token":"a"})")->id_token.empty());
    for (auto const* text : {"", "{}", "[]", R"({"access_token":""})", R"({"access_token":1})",
             R"({"access_token":"a\r\nX: y"})", R"({"error":"invalid_grant"})"})
        CHECK_FALSE(parse_provider_tokens(text));
    CHECK_FALSE(parse_provider_tokens(R"({"access_token":")" + std::string(8193, 'a') + R"("})"));
    CHECK(refuses_code(R"({"error":"invalid_grant"})"));
    CHECK(refuses_code(R"({"error":"bad_verification_code"})"));
    for (auto const* text : {"", "{}", R"({"error":"invalid_client"})", "invalid_grant"})
        CHECK_FALSE(refuses_code(text));

    constexpr auto userinfo = R"({"sub":"ada","email":"ada@example.com","email_verified":true})";
    CHECK(email_in_userinfo(userinfo, "ada") == "ada@example.com");
    CHECK_FALSE(email_in_userinfo(userinfo, "bob"));
    CHECK_FALSE(email_in_userinfo(R"({"sub":"ada","email":"ada@example.com"})", "ada"));
    CHECK_FALSE(email_in_userinfo("", "ada"));
}

TEST_CASE("the client secret for Apple is a signed JWT", "[external]")
{
    auto const apple = provider({{"type", "apple"}, {"teamId", "TEAM"}, {"keyId", "KEY"}});
    auto const key = crypto::SigningKey::generate();
    auto const jws = crypto::parse_jws(apple_client_secret(apple, key.to_pem(), now).reveal()).value();
    CHECK(crypto::verify_es256(crypto::PublicKey::from_jwk(key.public_jwk("KEY")).value(), jws));
    CHECK(jws.payload == json::object{{"iss", "TEAM"}, {"sub", "app"}, {"aud", issuer},
                             {"iat", 1'767'225'600}, {"exp", 1'767'225'900}});
    CHECK_THROWS_AS(apple_client_secret(apple, core::Secret("nonsense"), now), std::invalid_argument);
}

TEST_CASE("the identity at GitHub is the number of the account, and its primary verified email", "[external]")
{
    auto const github = provider({{"type", "github"}});
    auto const read = [&](std::string_view user, std::string_view emails) {
        return github_identity(github, user, emails, "code", now);
    };
    constexpr auto emails = R"([{"email":"b@example.com","primary":false,"verified":true},
        {"email":"a@example.com","primary":true,"verified":true}])";
    auto const identity = read(R"({"id":1,"login":"octocat"})", emails);
    REQUIRE(identity);
    CHECK(identity->issuer == issuer);
    CHECK(identity->subject == "1");
    CHECK(identity->email == "a@example.com");
    CHECK(identity->token_hash.size() == 64);
    for (auto const* text : {"", "[]", "{}", R"([{"email":"a@example.com","primary":true,"verified":false}])",
             R"([{"email":"a@example.com","primary":true}])",
             R"([{"email":"a","primary":true,"verified":true}])"})
        CHECK_FALSE(read(R"({"id":1})", text)->email);
    for (auto const* user : {"", "{}", R"({"id":"1"})", R"({"id":0})", R"({"id":1.5})"})
        CHECK_FALSE(read(user, emails));
}

TEST_CASE("the names of providers fit a path", "[external]")
{
    for (auto const* name : {"google", "a", "GitHub", "my.idp_1-x", "0"})
        CHECK(is_provider_name(name));
    for (auto const* name : {"", "callback", ".", "-a", "a/b", "a b", "a%", "\u00e4"})
        CHECK_FALSE(is_provider_name(name));
    CHECK(is_provider_name(std::string(40, 'a')));
    CHECK_FALSE(is_provider_name(std::string(41, 'a')));
    CHECK(default_display_name("google") == "Google");
    CHECK(default_display_name("acme") == "acme");
}

TEST_CASE("the sign-in in the browser's cookie is sealed, bound to the scope, and expires", "[external]")
{
    auto const keyring = crypto::Keyring::parse("one:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
    auto const other_keyring = crypto::Keyring::parse("one:YWJjZGVmMDEyMzQ1Njc4OTAxMjM0NTY3ODlhYmNkZWY=");
    auto const scope_of = [](core::Environment environment) {
        return core::Scope::of(core::TenantId{1}, environment, "demo");
    };
    auto const scope = scope_of(core::Environment::sandbox);
    auto sign_in = ExternalSignIn::begin(provider(), now);
    sign_in.next = "/account/email";
    sign_in.purpose = ExternalPurpose::confirm;
    sign_in.session = "0190a5d2-0000-7000-8000-000000000001";
    sign_in.fresh = true;
    auto const sealed = external_sign_ins::seal(keyring, scope, sign_in);
    CHECK(sealed.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
          std::string::npos);
    auto const opened = external_sign_ins::open(keyring, scope, sealed, now);
    REQUIRE(opened);
    for (auto const member :
        {&ExternalSignIn::provider, &ExternalSignIn::name, &ExternalSignIn::state, &ExternalSignIn::nonce,
            &ExternalSignIn::verifier, &ExternalSignIn::next, &ExternalSignIn::session})
        CHECK((*opened).*member == sign_in.*member);
    CHECK(opened->purpose == ExternalPurpose::confirm);
    CHECK(opened->fresh);
    CHECK(opened->begun_at == now);
    CHECK(opened->expires_at() == now + 15min);
    CHECK(external_sign_ins::open(keyring, scope, sealed, now + 15min - 1us));
    CHECK_FALSE(external_sign_ins::open(keyring, scope, sealed, now + 15min));
    CHECK_FALSE(external_sign_ins::open(keyring, scope_of(core::Environment::production), sealed, now));
    CHECK_FALSE(external_sign_ins::open(other_keyring, scope, sealed, now));
    for (auto const& text : {std::string(), std::string("x"), sealed + "A", sealed.substr(1)})
        CHECK_FALSE(external_sign_ins::open(keyring, scope, text, now));
}
