#include "conformance.hpp"
#include "crypto/encoding.hpp"
#include "crypto/jwt.hpp"
#include "http/form.hpp"
#include "receiver.hpp"
#include "support/eventually.hpp"

#include <array>
#include <set>

// The plans of the OpenID conformance suite for the configuration and for logouts:
// oidcc-config-certification-test-plan, oidcc-rp-initiated-logout-certification-test-plan and
// oidcc-backchannel-rp-initiated-logout-certification-test-plan.

namespace {

using namespace conformance;
namespace json = boost::json;

constexpr char const* confirmation = "/oauth/logout/confirm";

/// Opens the logout endpoint with these parameters.
HostedPage log_out(Flow& flow, Fields const& parameters)
{
    return flow.browser.get_raw("/oauth/logout?" + oauth::encode(parameters));
}

bool is_signed_in(Flow& flow)
{
    auto const answer = flow.response(flow.open({{"prompt", "none"}}));
    if (answer.contains("error")) CHECK(answer.at("error") == "login_required");
    return answer.contains("code");
}

/// Checks that the page asks the user, who is still signed in. Then confirms.
HostedPage confirm(Flow& flow, HostedPage const& page)
{
    INFO(page.status << ' ' << page.location << ' ' << page.body);
    REQUIRE(page.status == 200);
    CHECK(is_signed_in(flow));
    return flow.browser.post_raw(confirmation, PageClient::fields_of(page, confirmation));
}

/// Checks that the user is signed out, and that a page of the service says so.
void require_signed_out_page(Flow& flow, HostedPage const& page)
{
    INFO(page.location << ' ' << page.body);
    CHECK(page.status == 200);
    CHECK_FALSE(is_signed_in(flow));
}

std::pair<std::string, std::string> hint(Tokens const& tokens)
{
    return {"id_token_hint", tokens.id_token};
}

std::pair<std::string, std::string> const back{"post_logout_redirect_uri", signed_out_uri};
std::pair<std::string, std::string> const state{"state", "state of the logout"};

void discovery_has_logout(Setup& setup)
{
    auto const issuer = oauth::issuer_of(setup.world);
    CHECK(text(discovery(setup.world), "end_session_endpoint") == issuer + "/oauth/logout");
}

void rp_initiated_logout(Setup& setup)
{
    Flow flow(setup);
    auto const page = log_out(flow, {hint(flow.authorize()), back, state});
    REQUIRE(page.status == 303);
    CHECK(page.location.starts_with(std::string(signed_out_uri) + '?'));
    CHECK(oauth::parameters_of(page.location).at("state") == state.second);
    CHECK_FALSE(is_signed_in(flow));
}

/// The URI is not registered, so the browser stays here.
void check_bad_uri(Setup& setup, std::string const& uri)
{
    Flow flow(setup);
    auto const page = log_out(flow, {hint(flow.authorize()), {"post_logout_redirect_uri", uri}, state});
    CHECK(page.status == 400);
    CHECK(page.location.empty());
    CHECK(is_signed_in(flow));
}

/// A hint that this service has not signed counts as absent: the user is asked, and the browser stays here.
void check_bad_hint(Setup& setup, std::string const& header, std::string const& signature)
{
    Flow flow(setup);
    auto const token = flow.authorize().id_token;
    auto const payload = token.substr(token.find('.') + 1, token.rfind('.') - token.find('.') - 1);
    auto const bad = header.empty() ? token.substr(0, token.find('.')) : crypto::base64url::encode(header);
    auto const page = log_out(flow, {{"id_token_hint", bad + '.' + payload + '.' + signature}, back, state});
    require_signed_out_page(flow, confirm(flow, page));
}

void modified_id_token_hint(Setup& setup)
{
    check_bad_hint(setup, R"({"alg":"none","typ":"JWT"})", "");
}

void bad_id_token_hint(Setup& setup)
{
    check_bad_hint(setup, "", crypto::base64url::encode(std::string(256, 'x')));
}

void no_id_token_hint(Setup& setup)
{
    Flow flow(setup);
    require_signed_out_page(flow, confirm(flow, log_out(flow, {back, state})));
}

void no_params(Setup& setup)
{
    Flow flow(setup);
    require_signed_out_page(flow, confirm(flow, flow.browser.get_raw("/oauth/logout")));
}

void no_post_logout_redirect_uri(Setup& setup)
{
    Flow flow(setup);
    require_signed_out_page(flow, log_out(flow, {hint(flow.authorize()), state}));
}

void no_state(Setup& setup)
{
    Flow flow(setup);
    CHECK(log_out(flow, {hint(flow.authorize()), back}).location == signed_out_uri);
    CHECK_FALSE(is_signed_in(flow));
}

void only_state(Setup& setup)
{
    Flow flow(setup);
    require_signed_out_page(flow, confirm(flow, log_out(flow, {state})));
}

constexpr auto rp_initiated_logout_plan = std::to_array<Module>({
    {"oidcc-rp-initiated-logout-discovery-endpoint-verification", discovery_has_logout},
    {"oidcc-rp-initiated-logout", rp_initiated_logout},
    {"oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
        [](Setup& setup) { check_bad_uri(setup, "https://app.example.com/other"); }},
    {"oidcc-rp-initiated-logout-modified-id-token-hint", modified_id_token_hint},
    {"oidcc-rp-initiated-logout-no-id-token-hint", no_id_token_hint},
    {"oidcc-rp-initiated-logout-no-params", no_params},
    {"oidcc-rp-initiated-logout-no-post-logout-redirect-uri", no_post_logout_redirect_uri},
    {"oidcc-rp-initiated-logout-no-state", no_state},
    {"oidcc-rp-initiated-logout-only-state", only_state},
    {"oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
        [](Setup& setup) { check_bad_uri(setup, std::string(signed_out_uri) + "?foo=bar"); }},
    {"oidcc-rp-initiated-logout-bad-id-token-hint", bad_id_token_hint},
});

void discovery_has_backchannel(Setup& setup)
{
    discovery_has_logout(setup);
    auto const document = discovery(setup.world);
    CHECK(document.at("backchannel_logout_supported") == true);
    CHECK(document.at("backchannel_logout_session_supported") == true);
}

/// Checks the logout token of a client (OpenID Connect Back-Channel Logout 1.0, 2.4 and 2.6).
void check_logout_token(Setup& setup, testing::Received const& request, Tokens const& tokens)
{
    auto const form = http::parse_form(request.body);
    REQUIRE(form);
    auto const jws = crypto::parse_jws(http::find(*form, "logout_token"));
    REQUIRE(jws);
    CHECK(jws->header.at("alg") == "RS256");
    CHECK(jws->header.at("typ") == "logout+jwt");
    auto const keys = crypto::parse_foreign_jwk_set(setup.world.client().get("/.well-known/jwks.json").body);
    auto const* const key = keys.find(jws->kid());
    REQUIRE(key != nullptr);
    CHECK(crypto::verify(*key, *jws));
    auto const& claims = jws->payload;
    CHECK(text(claims, "iss") == oauth::issuer_of(setup.world));
    CHECK(text(claims, "aud") == setup.client.id);
    CHECK(text(claims, "sub") == setup.user.user_id);
    CHECK(text(claims, "sid") == text(claims_of(tokens.id_token), "sid"));
    CHECK_FALSE(text(claims, "jti").empty());
    CHECK(claims.contains("iat"));
    CHECK(claims.contains("exp"));
    CHECK_FALSE(claims.contains("nonce"));
    json::object const events{{"http://schemas.openid.net/event/backchannel-logout", json::object()}};
    CHECK(claims.at("events") == events);
}

void backchannel_rp_initiated_logout(Setup& setup)
{
    testing::Receiver receiver([](testing::Received const&) { return testing::reply(200); });
    setup.client = oauth::new_confidential_client(
        setup.world, {{"postLogoutRedirectUris", json::array{signed_out_uri}},
                         {"backchannelLogoutUri", receiver.url("/backchannel_logout")}});
    Flow flow(setup);
    auto const tokens = flow.authorize();
    CHECK(log_out(flow, {hint(tokens), back, state}).status == 303);
    REQUIRE(testing::eventually([&] { return receiver.received().size() == 1; }));
    check_logout_token(setup, receiver.received().front(), tokens);
    CHECK_FALSE(is_signed_in(flow));
}

constexpr auto backchannel_plan = std::to_array<Module>({
    {"oidcc-backchannel-logout-discovery-endpoint-verification", discovery_has_backchannel},
    {"oidcc-backchannel-rp-initiated-logout", backchannel_rp_initiated_logout},
});

} // namespace

TEST_CASE("the provider passes oidcc-discovery-endpoint-verification", "[oidc][conformance]")
{
    World const world({.base_host = "auth.example.com"});
    auto const document = discovery(world);
    auto const issuer = text(document, "issuer");
    CHECK(issuer == "https://demo-sandbox.auth.example.com");
    for (auto const& member : document.as_object()) {
        std::string_view const name = member.key();
        if (!name.ends_with("_endpoint") && name != "jwks_uri") continue;
        INFO(name);
        CHECK(std::string_view(member.value().as_string()).starts_with(issuer + '/'));
    }
    for (auto const* name : {"authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"})
        CHECK(document.as_object().contains(name));
    CHECK(lists(document, "scopes_supported", "openid"));
    CHECK(lists(document, "response_types_supported", "code"));
    CHECK(lists(document, "grant_types_supported", "authorization_code"));
    CHECK(lists(document, "subject_types_supported", "public"));
    CHECK(lists(document, "id_token_signing_alg_values_supported", "RS256"));
    CHECK(lists(document, "token_endpoint_auth_methods_supported", "client_secret_basic"));
    CHECK(lists(document, "claims_supported", "sub"));
    CHECK(document.at("claims_parameter_supported") == false);
    std::set<std::string> ids;
    auto const keys = world.client().get("/.well-known/jwks.json").json();
    for (auto const& key : keys.at("keys").as_array()) {
        CHECK(ids.insert(text(key, "kid")).second);
        CHECK_FALSE(key.as_object().contains("d"));
    }
    CHECK(ids.size() >= 2);
}

TEST_CASE("the provider passes the conformance suite's plan for logout by clients", "[oidc][conformance]")
{
    run(rp_initiated_logout_plan);
}

TEST_CASE("the provider passes the conformance suite's plan for back-channel logout", "[oidc][conformance]")
{
    run(backchannel_plan);
}
