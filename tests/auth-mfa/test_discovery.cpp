#include "oauth.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace {

namespace json = boost::json;

constexpr char const* openid = "/.well-known/openid-configuration";
constexpr char const* oauth_server = "/.well-known/oauth-authorization-server";

json::object discovered(World const& world, std::string const& tenant = "demo-sandbox")
{
    auto const r = world.client(tenant).get(openid);
    REQUIRE(r.status == 200);
    CHECK(r.header("content-type") == "application/json");
    CHECK(r.header("cache-control") == "public, max-age=300");
    return r.json().as_object();
}

bool has(json::value const& list, std::string_view value)
{
    return std::ranges::find(list.as_array(), json::value(value)) != list.as_array().end();
}

/// The path of a URL of this issuer.
std::string path_of(json::object const& document, char const* member)
{
    auto const url = text(document, member), issuer = text(document, "issuer");
    INFO(member << ' ' << url);
    REQUIRE(url.starts_with(issuer + '/'));
    return url.substr(issuer.size());
}

} // namespace

TEST_CASE("discovery names the issuer of the tokens and the endpoints of the environment", "[oauth]")
{
    World const world;
    for (std::string const tenant : {"demo-sandbox", "demo", "other-sandbox"}) {
        auto const document = discovered(world, tenant);
        CHECK(text(document, "issuer") == text(claims_of(world.new_account(tenant).access_token), "iss"));
        auto client = world.client(tenant);
        CHECK(client.get(path_of(document, "jwks_uri")).status == 200);
        CHECK(client.get(path_of(document, "userinfo_endpoint")).status == 401);
        for (auto const* const endpoint : {"token_endpoint", "revocation_endpoint", "introspection_endpoint",
                 "pushed_authorization_request_endpoint"}) {
            INFO(endpoint);
            auto const r = oauth::post(world, tenant, path_of(document, endpoint), {});
            CHECK(oauth::error_of(r) == "invalid_request");
        }
        CHECK(
            client.get(path_of(document, "authorization_endpoint")).status == 400); // a page without a client
        CHECK(client.get(path_of(document, "end_session_endpoint")).status != 404);
    }
}

TEST_CASE("every member that the specifications require is in the discovery document", "[oauth]")
{
    World const world;
    auto const document = discovered(world);
    for (auto const* const required : {"issuer", "authorization_endpoint", "token_endpoint", "jwks_uri",
             "response_types_supported", "subject_types_supported", "id_token_signing_alg_values_supported",
             "scopes_supported", "claims_supported", "grant_types_supported", "acr_values_supported",
             "code_challenge_methods_supported", "ui_locales_supported"}) {
        INFO(required);
        CHECK(document.contains(required));
    }
    CHECK(json::serialize(document.at("response_types_supported")) == R"(["code"])");
    CHECK(json::serialize(document.at("response_modes_supported")) == R"(["query"])");
    CHECK(json::serialize(document.at("code_challenge_methods_supported")) == R"(["S256"])");
    CHECK(json::serialize(document.at("subject_types_supported")) == R"(["public"])");
    CHECK(has(document.at("id_token_signing_alg_values_supported"), "RS256"));
    CHECK(has(document.at("id_token_signing_alg_values_supported"), "ES256"));
    CHECK(has(document.at("scopes_supported"), "openid"));
    for (auto const* const locale : {"en", "de", "fr", "es", "pt", "ja"})
        CHECK(has(document.at("ui_locales_supported"), locale));
    for (auto const* const method : {"client_secret_basic", "client_secret_post", "private_key_jwt"})
        for (auto const* const endpoint : {"token", "revocation", "introspection"})
            CHECK(has(document.at(std::string(endpoint) + "_endpoint_auth_methods_supported"), method));
    CHECK(has(document.at("token_endpoint_auth_methods_supported"), "none"));
    CHECK_FALSE(has(document.at("introspection_endpoint_auth_methods_supported"), "none"));
    CHECK(document.at("authorization_response_iss_parameter_supported") == true);
    CHECK(document.at("backchannel_logout_supported") == true);
    CHECK(document.at("backchannel_logout_session_supported") == true);
    // These default to what this server does not do, or are not what it does.
    for (auto const* const absent :
        {"claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported"})
        CHECK(document.at(absent) == false);
    CHECK_FALSE(document.contains("registration_endpoint"));
    CHECK_FALSE(document.contains("frontchannel_logout_supported"));
}

TEST_CASE("every claim of an id token and of userinfo is in claims_supported", "[oauth]")
{
    World const world;
    auto const document = discovered(world);
    auto const tokens = oauth::tokens_of(world, oauth::new_client(world), world.new_account());
    auto const userinfo = world.with(tokens.access_token).get("/oauth/userinfo").json().as_object();
    for (auto const& claims : {claims_of(tokens.id_token), userinfo})
        for (auto const& claim : claims) {
            INFO(claim.key());
            CHECK(has(document.at("claims_supported"), claim.key()));
        }
}

TEST_CASE("the metadata of RFC 8414 are the same", "[oauth]")
{
    World const world;
    auto client = world.client();
    CHECK(client.get(oauth_server).body == client.get(openid).body);
    CHECK(world.client("nobody").get(oauth_server).status == 404);
}

TEST_CASE("the base host has keys, but no endpoints for users", "[oauth]")
{
    World const world;
    testing::HttpClient base("http://127.0.0.1:" + std::to_string(world.host->port()));
    base.set("Host", "auth.localhost");
    auto const document = base.get(openid).json().as_object();
    CHECK(text(document, "jwks_uri") == text(document, "issuer") + "/.well-known/jwks.json");
    CHECK(document.at("response_types_supported").as_array().empty());
    CHECK_FALSE(document.contains("authorization_endpoint"));
    CHECK_FALSE(document.contains("token_endpoint"));
    CHECK(
        base.post("/oauth/token", "", {{"Content-Type", "application/x-www-form-urlencoded"}}).status == 404);
}
