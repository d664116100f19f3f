#include "conformance.hpp"

#include <array>

// The plan oidcc-basic-certification-test-plan of the OpenID conformance suite.

namespace {

using namespace conformance;
namespace json = boost::json;

json::value claim(Tokens const& tokens, char const* name)
{
    return claims_of(tokens.id_token).at(name);
}

/// A request with this parameter succeeds without a page.
void succeeds(Setup& setup, char const* name, char const* value)
{
    Flow(setup).authorize({{name, value}});
}

/// The scopes lead to these members of userinfo, and to no others.
void check_scope(Setup& setup, char const* scope, std::set<std::string> members)
{
    Flow flow(setup);
    auto const info = flow.userinfo(flow.authorize({{"scope", scope}}));
    REQUIRE(info.status == 200);
    members.insert("sub");
    std::set<std::string> found;
    auto const answer = info.json();
    for (auto const& member : answer.as_object())
        found.emplace(member.key());
    CHECK(found == members);
}

void server(Setup& setup)
{
    Flow flow(setup);
    CHECK(text(flow.userinfo(flow.authorize()).json(), "sub") == setup.user.user_id);
}

void response_type_missing(Setup& setup)
{
    Flow flow(setup);
    CHECK(flow.error(flow.open({{"response_type", ""}})) == "invalid_request");
}

/// No client can ask for id tokens without a signature.
void idtoken_unsigned(Setup& setup)
{
    CHECK_FALSE(lists(discovery(setup.world), "id_token_signing_alg_values_supported", "none"));
    auto const refused = setup.world.as_master().patch(
        "/v1/clients/" + setup.client.id, body({{"idTokenSigningAlg", "none"}}));
    CHECK(refused.status == 400);
}

void userinfo_post_header(Setup& setup)
{
    auto const tokens = Flow(setup).authorize();
    auto const info = setup.world.with(tokens.access_token).post("/oauth/userinfo", "");
    CHECK(text(info.json(), "sub") == setup.user.user_id);
}

void userinfo_post_body(Setup& setup)
{
    auto const tokens = Flow(setup).authorize();
    auto const info = oauth::post(
        setup.world, setup.client.tenant, "/oauth/userinfo", {{"access_token", tokens.access_token}});
    CHECK(text(info.json(), "sub") == setup.user.user_id);
}

void without_nonce(Setup& setup)
{
    Flow flow(setup);
    flow.tokens(flow.open({{"nonce", ""}}), "");
}

void alternate_happy_flow(Setup& setup)
{
    Flow flow(setup);
    auto request = flow.request({{"scope", "email openid"}});
    std::ranges::reverse(request);
    auto const tokens = flow.tokens(oauth::travel(flow.browser, request));
    CHECK(text(flow.userinfo(tokens).json(), "email") == setup.user.email);
}

/// The user must authenticate again, and `auth_time` of the second id token is later.
void check_second_login(Setup& setup, Fields const& changes)
{
    Flow flow(setup);
    auto const first = flow.authorize();
    setup.world.clock.advance(2s);
    auto const page = flow.open(changes);
    REQUIRE(page.status == 200);
    auto const second = flow.tokens(flow.confirm(page));
    CHECK(claim(second, "auth_time").as_int64() > claim(first, "auth_time").as_int64());
    CHECK(claim(second, "sub") == claim(first, "sub"));
}

/// The second request needs no page, and is of the same authentication.
void check_no_second_login(Setup& setup, Fields changes, bool with_hint = false)
{
    Flow flow(setup);
    auto const first = flow.authorize();
    setup.world.clock.advance(2s);
    if (with_hint) changes.emplace_back("id_token_hint", first.id_token);
    auto const second = flow.authorize(changes);
    CHECK(claim(second, "auth_time") == claim(first, "auth_time"));
    CHECK(claim(second, "sub") == claim(first, "sub"));
}

void prompt_none_not_logged_in(Setup& setup)
{
    Flow flow(setup, false);
    CHECK(flow.error(flow.open({{"prompt", "none"}})) == "login_required");
}

void login_hint(Setup& setup)
{
    Flow flow(setup, false);
    auto const page = flow.open({{"login_hint", setup.user.email}});
    auto const fields = PageClient::fields_of(page, "/login");
    CHECK(std::ranges::count(fields, std::pair(std::string("email"), setup.user.email)) == 1);
    flow.tokens(oauth::sign_in_on(flow.browser, page, setup.user));
}

/// The second use of a code is an error, and ends what the first use gave.
void check_code_reuse(Setup& setup, std::chrono::seconds pause)
{
    Flow flow(setup);
    auto const code = flow.response(flow.open()).at("code");
    auto const tokens = Tokens::of(flow.exchange(code));
    setup.world.clock.advance(pause);
    auto const again = flow.exchange(code);
    CHECK(again.status == 400);
    CHECK(oauth::error_of(again) == "invalid_grant");
    CHECK(flow.userinfo(tokens).status == 401);
}

void registered_redirect_uri(Setup& setup)
{
    Flow flow(setup);
    CHECK(flow.open({{"redirect_uri", setup.client.redirect_uri + "/other"}}).status == 400);
}

void post_request(Setup& setup)
{
    Flow flow(setup);
    auto const answer = flow.browser.post_raw("/oauth/authorize", flow.request(),
        {{"Origin", "https://app.example.com"}, {"Sec-Fetch-Site", "cross-site"}});
    REQUIRE(answer.status == 303);
    flow.tokens(oauth::travel(flow.browser, answer.location));
}

void client_secret_post(Setup& setup)
{
    Flow flow(setup);
    auto const code = flow.response(flow.open()).at("code");
    CHECK(oauth::exchange(setup.world, setup.client, code, {}, {{"code_verifier", ""}}).status == 200);
}

void request_uri(Setup& setup)
{
    Flow flow(setup);
    CHECK(discovery(setup.world).at("request_uri_parameter_supported") == false);
    auto const page = flow.open({{"request_uri", "https://app.example.com/request.jwt"}});
    CHECK(flow.error(page) == "request_uri_not_supported");
}

constexpr char const* unsigned_request = "eyJhbGciOiJub25lIn0.e30.";

void request_object(Setup& setup)
{
    Flow flow(setup);
    CHECK(discovery(setup.world).at("request_parameter_supported") == false);
    CHECK(flow.error(flow.open({{"request", unsigned_request}})) == "request_not_supported");
}

void request_object_with_redirect_uri(Setup& setup)
{
    Flow flow(setup);
    auto const other = setup.client.redirect_uri + "/other";
    CHECK(flow.open({{"redirect_uri", other}, {"request", unsigned_request}}).status == 400);
}

void refresh_token(Setup& setup)
{
    Flow flow(setup);
    auto const tokens = flow.authorize({{"scope", "openid offline_access"}});
    CHECK(
        oauth::error_of(oauth::refresh(setup.world, setup.client2, tokens.refresh_token)) == "invalid_grant");
    auto const renewed = Tokens::of(oauth::refresh(setup.world, setup.client, tokens.refresh_token));
    for (auto const* name : {"iss", "sub", "aud", "auth_time"})
        CHECK(claim(renewed, name) == claim(tokens, name));
    CHECK(flow.userinfo(renewed).status == 200);
}

void valid_pkce(Setup& setup)
{
    Flow flow(setup);
    auto const pkce = oauth::Pkce::make();
    auto const page = flow.open({{"code_challenge", pkce.challenge}, {"code_challenge_method", "S256"}});
    CHECK(oauth::exchange(setup.world, setup.client, flow.response(page).at("code"), pkce).status == 200);
}

constexpr auto basic_plan = std::to_array<Module>({
    {"oidcc-server", server},
    {"oidcc-response-type-missing", response_type_missing},
    {"oidcc-idtoken-signature", [](Setup& setup) { Flow(setup).authorize(); }},
    {"oidcc-idtoken-unsigned", idtoken_unsigned},
    {"oidcc-userinfo-get", server},
    {"oidcc-userinfo-post-header", userinfo_post_header},
    {"oidcc-userinfo-post-body", userinfo_post_body},
    {"oidcc-ensure-request-without-nonce-succeeds-for-code-flow", without_nonce},
    {"oidcc-scope-profile", [](Setup& setup) { check_scope(setup, "openid profile", {"updated_at"}); }},
    {"oidcc-scope-email",
        [](Setup& setup) { check_scope(setup, "openid email", {"email", "email_verified"}); }},
    {"oidcc-scope-address", [](Setup& setup) { check_scope(setup, "openid address", {}); }},
    {"oidcc-scope-phone", [](Setup& setup) { check_scope(setup, "openid phone", {}); }},
    {"oidcc-scope-all",
        [](Setup& setup) {
            check_scope(
                setup, "openid profile email address phone", {"email", "email_verified", "updated_at"});
        }},
    {"oidcc-alternate-happy-flow", alternate_happy_flow},
    {"oidcc-ensure-other-scope-order-succeeds", alternate_happy_flow},
    {"oidcc-display-page", [](Setup& setup) { succeeds(setup, "display", "page"); }},
    {"oidcc-display-popup", [](Setup& setup) { succeeds(setup, "display", "popup"); }},
    {"oidcc-prompt-login", [](Setup& setup) { check_second_login(setup, {{"prompt", "login"}}); }},
    {"oidcc-prompt-none-not-logged-in", prompt_none_not_logged_in},
    {"oidcc-prompt-none-logged-in", [](Setup& setup) { check_no_second_login(setup, {{"prompt", "none"}}); }},
    {"oidcc-max-age-1", [](Setup& setup) { check_second_login(setup, {{"max_age", "1"}}); }},
    {"oidcc-max-age-10000", [](Setup& setup) { check_no_second_login(setup, {{"max_age", "10000"}}); }},
    {"oidcc-ensure-request-with-unknown-parameter-succeeds",
        [](Setup& setup) { succeeds(setup, "extra", "foobar"); }},
    {"oidcc-id-token-hint", [](Setup& setup) { check_no_second_login(setup, {{"prompt", "none"}}, true); }},
    {"oidcc-login-hint", login_hint},
    {"oidcc-ui-locales", [](Setup& setup) { succeeds(setup, "ui_locales", "se"); }},
    {"oidcc-claims-locales", [](Setup& setup) { succeeds(setup, "claims_locales", "se"); }},
    {"oidcc-ensure-request-with-acr-values-succeeds",
        [](Setup& setup) { succeeds(setup, "acr_values", "1 2"); }},
    {"oidcc-codereuse", [](Setup& setup) { check_code_reuse(setup, 0s); }},
    {"oidcc-codereuse-30seconds", [](Setup& setup) { check_code_reuse(setup, 30s); }},
    {"oidcc-ensure-registered-redirect-uri", registered_redirect_uri},
    {"oidcc-ensure-post-request-succeeds", post_request},
    {"oidcc-server-client-secret-post", client_secret_post},
    {"oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported", request_uri},
    {"oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported", request_object},
    {"oidcc-claims-essential",
        [](Setup& setup) { succeeds(setup, "claims", R"({"userinfo":{"name":{"essential":true}}})"); }},
    {"oidcc-ensure-request-object-with-redirect-uri", request_object_with_redirect_uri},
    {"oidcc-refresh-token", refresh_token},
    {"oidcc-ensure-request-with-valid-pkce-succeeds", valid_pkce},
});

} // namespace

TEST_CASE("the provider passes the conformance suite's basic plan", "[oidc][conformance]")
{
    run(basic_plan);
}
