#include "auth/token_claims.hpp"
#include "auth/user_tokens.hpp"
#include "support.hpp"
#include "support/issuer.hpp"

using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

struct TokensFixture {
    explicit TokensFixture(std::string audience = "feedback")
        : tokens(jwks, clock, {.issuer_host = "auth.localhost", .erasure_audience = std::move(audience)})
    {
    }

    auth::UserTokens::Token verify(std::string const& raw)
    {
        return testing::run_awaitable(tokens.verify(raw));
    }

    bool accepts(json::object const& changes, std::string const& audience = "feedback")
    {
        return verify(issuer.erasure_token({}, audience, changes)) != nullptr;
    }

    std::int64_t now() const { return core::unix_seconds(clock.now()); }

    testing::FakeClock clock;
    testing::Issuer issuer{clock};
    auth::Jwks jwks{[this]() -> std::optional<std::string> { return issuer.jwks(); }, {.min_refetch = 0ms}};
    auth::UserTokens tokens;
};

} // namespace

TEST_CASE("an erasure token names the user and the scope, and has no role")
{
    TokensFixture f;
    auto const token = f.verify(f.issuer.erasure_token({.subject = "ada"}, "feedback"));
    REQUIRE(token);
    CHECK(token->access == core::Access::erasure);
    CHECK(token->subject == "ada");
    CHECK(token->tenant == "demo");
    CHECK(token->environment == core::Environment::sandbox);
    CHECK(token->role.empty());
    CHECK(token->session_id.empty());
    CHECK(token->email.empty());
    CHECK(token->expires_at - token->issued_at == 300s);
}

TEST_CASE("an erasure token is valid for at most 300 s after it was issued")
{
    TokensFixture f;
    CHECK(f.accepts({{"exp", f.now() + 300}}));
    CHECK_FALSE(f.accepts({{"exp", f.now() + 301}}));
    CHECK_FALSE(f.accepts({{"iat", f.now() - 600}, {"exp", f.now() + 60}}));
    CHECK(f.accepts({{"iat", f.now() - 200}, {"exp", f.now() + 100}}));
    CHECK_FALSE(f.accepts({{"iat", f.now() - 400}, {"exp", f.now() - 100}}));
    auto const raw = f.issuer.erasure_token({}, "feedback");
    CHECK(f.verify(raw));
    f.clock.advance(329s);
    CHECK(f.verify(raw));
    f.clock.advance(2s); // 30 s of clock skew
    CHECK_FALSE(f.verify(raw));
}

TEST_CASE("an erasure token is accepted by the service of its audience only")
{
    TokensFixture f;
    CHECK(f.accepts({}, "feedback"));
    CHECK_FALSE(f.accepts({}, "notify"));
    CHECK_FALSE(f.accepts({}, "tetrad"));
    CHECK_FALSE(f.accepts({}, "mfa-enrollment"));
    CHECK_FALSE(f.accepts({{"aud", nullptr}}));
    CHECK_FALSE(f.accepts({{"aud", ""}}));
    TokensFixture none("");
    CHECK_FALSE(none.accepts({}, "feedback"));
    CHECK_FALSE(none.accepts({{"aud", ""}}));
}

TEST_CASE("an erasure token without a necessary claim is refused")
{
    TokensFixture f;
    for (auto const* claim : {"iss", "sub", "iat", "exp", "jti", "tenant", "env"}) {
        INFO(claim);
        CHECK_FALSE(f.accepts({{claim, nullptr}}));
    }
    CHECK_FALSE(f.accepts({{"iss", "https://other-sandbox.auth.localhost"}}));
    CHECK_FALSE(f.accepts({{"env", "production"}}));
    CHECK_FALSE(f.accepts({{"sub", ""}}));
}

TEST_CASE("the type of a token decides for what it is accepted")
{
    TokensFixture f;
    auto const access = f.issuer.claims({.role = "owner"});
    CHECK(f.verify(f.issuer.sign(access))->access == core::Access::owner);
    CHECK_FALSE(f.verify(f.issuer.sign(access, {{"typ", auth::token::erasure_type}})));
    auto erasure = access;
    erasure["aud"] = "feedback";
    erasure["exp"] = f.now() + 60;
    CHECK_FALSE(f.verify(f.issuer.sign(erasure)));
    CHECK(f.verify(f.issuer.sign(erasure, {{"typ", auth::token::erasure_type}}))->access ==
          core::Access::erasure);
    CHECK_FALSE(f.verify(f.issuer.sign(erasure, {{"typ", "JWT"}})));
    CHECK_FALSE(f.verify(f.issuer.sign(erasure, {{"typ", nullptr}})));
    // A token for both audiences is still of one type.
    erasure["aud"] = json::array{"tetrad", "feedback"};
    CHECK(f.verify(f.issuer.sign(erasure))->access == core::Access::owner);
    CHECK(f.verify(f.issuer.sign(erasure, {{"typ", auth::token::erasure_type}}))->access ==
          core::Access::erasure);
}

TEST_CASE("an erasure token needs a valid signature")
{
    TokensFixture f;
    testing::Issuer const forger(f.clock);
    CHECK_FALSE(f.verify(forger.erasure_token({}, "feedback")));
    auto const claims = forger.claims({});
    CHECK_FALSE(f.verify(forger.sign(claims, {{"typ", auth::token::erasure_type}, {"kid", f.issuer.kid()}})));
}
