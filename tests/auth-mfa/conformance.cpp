#include "conformance.hpp"

#include "core/clock.hpp"
#include "crypto/jwt.hpp"

namespace conformance {

std::map<std::string, std::string> Flow::response(HostedPage const& page) const
{
    auto answer = oauth::answer_of(page);
    CHECK(page.location.starts_with(setup_.client.redirect_uri));
    CHECK(answer["state"] == "some state");
    CHECK(answer["iss"] == oauth::issuer_of(setup_.world));
    return answer;
}

std::string Flow::error(HostedPage const& page) const
{
    auto const answer = response(page);
    CHECK_FALSE(answer.contains("code"));
    return answer.contains("error") ? answer.at("error") : std::string();
}

testing::HttpResponse Flow::exchange(std::string const& code) const
{
    auto const& client = setup_.client;
    return oauth::post(setup_.world, client.tenant, "/oauth/token",
        {{"grant_type", "authorization_code"}, {"code", code}, {"redirect_uri", client.redirect_uri}},
        oauth::basic(client.id, client.secret));
}

Tokens Flow::tokens(HostedPage const& page, std::string_view nonce)
{
    auto const answer = response(page);
    REQUIRE(answer.contains("code"));
    auto tokens = Tokens::of(exchange(answer.at("code")));
    check_id_token(tokens.id_token, nonce);
    return tokens;
}

testing::HttpResponse Flow::userinfo(Tokens const& tokens) const
{
    return setup_.world.with(tokens.access_token, setup_.client.tenant).get("/oauth/userinfo");
}

void Flow::check_id_token(std::string const& token, std::string_view nonce) const
{
    auto const jws = crypto::parse_jws(token);
    REQUIRE(jws);
    CHECK(jws->header.at("alg") == "RS256");
    auto const keys = crypto::parse_foreign_jwk_set(setup_.world.client().get("/.well-known/jwks.json").body);
    auto const* const key = keys.find(jws->kid());
    REQUIRE(key != nullptr);
    CHECK(crypto::verify(*key, *jws));
    auto const& claims = jws->payload;
    auto const now = core::unix_seconds(setup_.world.clock.now());
    CHECK(text(claims, "iss") == oauth::issuer_of(setup_.world));
    CHECK(text(claims, "aud") == setup_.client.id);
    CHECK(text(claims, "sub") == setup_.user.user_id);
    CHECK(claims.at("iat").as_int64() <= now);
    CHECK(claims.at("exp").as_int64() > now);
    CHECK(claims.contains("at_hash"));
    CHECK((nonce.empty() ? !claims.contains("nonce") : text(claims, "nonce") == nonce));
}

} // namespace conformance
