#include "auth/user_tokens.hpp"

#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"
#include "support.hpp"
#include "support/issuer.hpp"

#include <thread>

using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

struct TokensFixture {
    testing::FakeClock clock;
    testing::Issuer issuer{clock};
    std::atomic<int> fetches = 0;
    std::mutex mutex;
    std::string document = issuer.jwks();
    bool down = false;
    auth::Jwks jwks{[this]() -> std::optional<std::string> { return fetch(); }, {.min_refetch = 0ms}};
    auth::UserTokens tokens{jwks, clock, {.issuer_host = "auth.localhost"}};

    std::optional<std::string> fetch()
    {
        std::lock_guard const lock(mutex);
        ++fetches;
        if (down) throw std::runtime_error("the issuer is down");
        return document;
    }

    void publish()
    {
        std::lock_guard const lock(mutex);
        document = issuer.jwks();
    }

    void set_down(bool value)
    {
        std::lock_guard const lock(mutex);
        down = value;
    }

    auth::UserTokens::Token verify(std::string const& raw)
    {
        return testing::run_awaitable(tokens.verify(raw));
    }

    bool accepts(json::object const& changes) { return verify(issuer.token({}, changes)) != nullptr; }

    std::int64_t now() const
    {
        return std::chrono::floor<std::chrono::seconds>(clock.now()).time_since_epoch().count();
    }
};

std::string part(json::object const& object)
{
    return crypto::base64url::encode(json::serialize(object));
}

} // namespace

TEST_CASE("a valid token yields its claims")
{
    TokensFixture f;
    auto const token =
        f.verify(f.issuer.token({.role = "admin"}, {{"sid", "session-1"}, {"jti", "token-1"}}));
    REQUIRE(token);
    CHECK(token->subject == testing::TokenFor().subject);
    CHECK(token->session_id == "session-1");
    CHECK(token->tenant == "demo");
    CHECK(token->environment == core::Environment::sandbox);
    CHECK(token->role == "admin");
    CHECK(token->access == core::Access::admin);
    CHECK(token->email == "user@example.com");
    CHECK(token->issued_at == testing::FakeClock::start);
    CHECK(token->expires_at == testing::FakeClock::start + 900s);
    CHECK(f.verify(f.issuer.token({.role = "user"}))->access == core::Access::user);
    CHECK(f.verify(f.issuer.token({.role = "owner"}))->access == core::Access::owner);
}

TEST_CASE("a token may say how recently and how strongly its user authenticated")
{
    TokensFixture f;
    auto const plain = f.verify(f.issuer.token({}));
    REQUIRE(plain);
    CHECK_FALSE(plain->email_verified);
    CHECK_FALSE(plain->authenticated_at);
    CHECK_FALSE(plain->aal2);
    auto const strong = f.verify(
        f.issuer.token({}, {{"email_verified", true}, {"auth_time", f.now() - 60}, {"acr", "aal2"}}));
    REQUIRE(strong);
    CHECK(strong->email_verified);
    CHECK(strong->authenticated_at == testing::FakeClock::start - 60s);
    CHECK(strong->aal2);
    auto const odd = f.verify(
        f.issuer.token({}, {{"email_verified", "true"}, {"auth_time", "now"}, {"acr", json::array{"aal2"}}}));
    REQUIRE(odd);
    CHECK_FALSE((odd->email_verified || odd->authenticated_at || odd->aal2));
}

TEST_CASE("only a verifier that expects enrolment tokens accepts them")
{
    TokensFixture f;
    auto const token = f.issuer.token({}, {{"aud", "mfa-enrollment"}});
    CHECK_FALSE(f.verify(token));
    auth::UserTokens expecting(f.jwks, f.clock, {.issuer_host = "auth.localhost", .accept_enrolment = true});
    auto const accepted = testing::run_awaitable(expecting.verify(token));
    REQUIRE(accepted);
    CHECK(accepted->access == core::Access::enrolment);
    CHECK(testing::run_awaitable(expecting.verify(f.issuer.token({})))->access == core::Access::user);
}

TEST_CASE("every required claim is checked")
{
    TokensFixture f;
    CHECK(f.accepts({}));
    for (char const* claim : {"iss", "sub", "aud", "exp", "iat", "jti", "sid", "tenant", "env", "role"}) {
        INFO(claim);
        CHECK_FALSE(f.accepts({{claim, nullptr}}));
        CHECK_FALSE(f.accepts({{claim, json::object()}}));
        CHECK_FALSE(f.accepts({{claim, ""}}));
    }
    CHECK(f.accepts({{"email", nullptr}, {"amr", nullptr}}));
    CHECK_FALSE(f.accepts({{"email", 7}}));
    CHECK_FALSE(f.accepts({{"amr", "pwd"}}));
    CHECK_FALSE(f.accepts({{"amr", json::array{1}}}));
}

TEST_CASE("claims with wrong values are refused")
{
    TokensFixture f;
    json::object const wrong[] = {
        {{"iss", "https://demo.auth.localhost"}},          // production's issuer with env sandbox
        {{"iss", "https://other-sandbox.auth.localhost"}}, // the issuer of another tenant
        {{"iss", "https://demo-sandbox.auth.evil.test"}},
        {{"tenant", "other"}},
        {{"env", "production"}},
        {{"env", "staging"}},
        {{"role", "root"}},
        {{"aud", "some-client"}},
        {{"aud", json::array{"a", "b"}}},
        {{"sub", std::string("a\0b", 3)}},
        {{"sub", std::string(321, 'a')}},
        {{"exp", "1767226000"}},
        {{"exp", -1}},
        {{"exp", 1e300}},
        {{"nbf", "soon"}},
    };
    for (auto const& changes : wrong) {
        INFO(json::serialize(changes));
        CHECK_FALSE(f.accepts(changes));
    }
    CHECK(f.accepts({{"aud", json::array{"other", "tetrad"}}}));
    CHECK(f.accepts({{"exp", static_cast<double>(f.now()) + 60.5}}));
}

TEST_CASE("times are checked with 30 seconds of clock skew")
{
    TokensFixture f;
    CHECK(f.accepts({{"exp", f.now() - 29}}));
    CHECK_FALSE(f.accepts({{"exp", f.now() - 30}}));
    CHECK(f.accepts({{"iat", f.now() + 30}}));
    CHECK_FALSE(f.accepts({{"iat", f.now() + 31}}));
    CHECK(f.accepts({{"nbf", f.now() + 30}}));
    CHECK_FALSE(f.accepts({{"nbf", f.now() + 31}}));
}

TEST_CASE("a cached token expires like any other token")
{
    TokensFixture f;
    auto const raw = f.issuer.token({});
    CHECK(f.verify(raw));
    f.clock.advance(900s + 30s - 1us);
    CHECK(f.verify(raw));
    f.clock.advance(1us);
    CHECK_FALSE(f.verify(raw));
}

TEST_CASE("only ES256 and at+jwt are accepted")
{
    TokensFixture f;
    auto const claims = f.issuer.claims({});
    CHECK(f.verify(f.issuer.sign(claims)));
    CHECK_FALSE(f.verify(f.issuer.sign(claims, {{"typ", "JWT"}})));
    CHECK_FALSE(f.verify(f.issuer.sign(claims, {{"typ", nullptr}})));
    CHECK_FALSE(f.verify(f.issuer.sign(claims, {{"crit", json::array{"exp"}}})));

    json::object header{{"typ", "at+jwt"}, {"kid", f.issuer.kid()}, {"alg", "none"}};
    std::string const none = part(header) + "." + part(claims) + ".";
    CHECK_FALSE(f.verify(none));
    header["alg"] = "HS256";
    std::string const input = part(header) + "." + part(claims);
    for (std::string const& secret : {f.issuer.jwks(), f.issuer.kid(), std::string()}) {
        auto const mac = crypto::hmac_sha256(secret, input);
        CHECK_FALSE(f.verify(input + "." + crypto::base64url::encode(crypto::view(mac))));
    }
    // A valid signature, but the header names another algorithm.
    auto const good = f.issuer.sign(claims);
    CHECK_FALSE(f.verify(input + good.substr(good.rfind('.'))));
}

TEST_CASE("forged and damaged tokens are refused")
{
    TokensFixture f;
    testing::Issuer const stranger(f.clock);
    CHECK_FALSE(f.verify(stranger.token({}))); // unknown key
    // The key id of another key.
    CHECK_FALSE(f.verify(stranger.sign(f.issuer.claims({}), {{"kid", f.issuer.kid()}})));
    CHECK_FALSE(f.verify(f.issuer.sign(f.issuer.claims({}), {{"kid", nullptr}})));
    CHECK_FALSE(f.verify(f.issuer.sign(f.issuer.claims({}), {{"kid", 7}})));

    auto const good = f.issuer.token({});
    auto const dot = good.find('.');
    auto const second = good.find('.', dot + 1);
    auto const payload = part(f.issuer.claims({.role = "owner"}));
    CHECK_FALSE(f.verify(good.substr(0, dot + 1) + payload + good.substr(second)));
    std::string flipped = good;
    flipped[second + 10] = flipped[second + 10] == 'A' ? 'B' : 'A';
    CHECK_FALSE(f.verify(flipped));
    for (std::string const& raw : {std::string(), good.substr(0, second), good + ".", good + "A", "." + good,
             good.substr(0, second + 1), std::string("eyJ..")}) {
        INFO(raw);
        CHECK_FALSE(f.verify(raw));
    }
    CHECK(f.verify(good));
}

TEST_CASE("a verified token is not verified again, and is refused when its key is removed")
{
    TokensFixture f;
    auto const raw = f.issuer.token({});
    auto const first = f.verify(raw);
    CHECK(f.tokens.check(raw).token == first); // the same object

    f.issuer.rotate();
    auto const newer = f.issuer.token({});
    f.publish();
    CHECK(f.verify(newer)); // unknown key id: fetched again
    CHECK(f.fetches >= 2);
    CHECK(f.verify(raw) != nullptr);

    f.issuer.retire_old();
    f.issuer.rotate();
    f.publish();
    CHECK(f.verify(f.issuer.token({})));
    CHECK_FALSE(f.verify(raw));
    CHECK(f.verify(newer));
}

TEST_CASE("known keys stay in use while the issuer is down")
{
    TokensFixture f;
    CHECK(f.verify(f.issuer.token({})));
    f.set_down(true);
    CHECK(f.verify(f.issuer.token({})));
    f.issuer.rotate();
    CHECK_FALSE(f.verify(f.issuer.token({})));
    f.set_down(false);
    f.publish();
    CHECK(f.verify(f.issuer.token({})));
}

TEST_CASE("without a key set a well-formed token gets 503, and other tokens are refused")
{
    testing::FakeClock const clock;
    testing::Issuer const issuer(clock);
    auth::Jwks jwks(
        []() -> std::optional<std::string> { throw std::runtime_error("down"); }, {.min_refetch = 0ms});
    auth::UserTokens tokens(jwks, clock, {.issuer_host = "auth.localhost"});
    auto const verify = [&](std::string const& raw) { return testing::run_awaitable(tokens.verify(raw)); };
    CHECK(code_of([&] { verify(issuer.token({})); }) == "UNAVAILABLE");
    CHECK_FALSE(verify(issuer.token({}, {{"exp", 1}})));
    CHECK_FALSE(verify("eyJhbGciOiJub25lIn0.e30."));
}

TEST_CASE("the form of a JWT is recognised")
{
    CHECK(auth::UserTokens::is_candidate("eyJh.eyJi.c"));
    CHECK_FALSE(auth::UserTokens::is_candidate("eyJh.eyJi"));
    CHECK_FALSE(auth::UserTokens::is_candidate("eyJh.eyJi.c.d"));
    CHECK_FALSE(auth::UserTokens::is_candidate("abc.def.ghi"));
    CHECK_FALSE(auth::UserTokens::is_candidate(""));
}

TEST_CASE("many threads verify while keys change")
{
    TokensFixture f;
    auto const raw = f.issuer.token({});
    REQUIRE(f.verify(raw));
    std::atomic<bool> done = false;
    std::atomic<int> refused = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            while (!done)
                if (!f.verify(raw)) ++refused;
        });
    }
    for (int i = 0; i < 20; ++i) {
        f.issuer.rotate();
        f.publish();
        CHECK(f.verify(f.issuer.token({})));
    }
    done = true;
    for (auto& thread : threads)
        thread.join();
    CHECK(refused == 0); // every set contains the token's key
}
