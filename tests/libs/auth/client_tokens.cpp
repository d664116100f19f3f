#include "auth/user_tokens.hpp"
#include "support.hpp"
#include "support/issuer.hpp"

using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

struct ClientTokens {
    explicit ClientTokens(bool apart)
        : tokens(jwks, clock,
              {.issuer_host = "auth.localhost",
                  .accept_enrolment = true,
                  .clients_apart = apart,
                  .own_clients = {"console", "board"}})
    {
    }

    auth::UserTokens::Token verify(json::object const& changes)
    {
        return testing::run_awaitable(tokens.verify(issuer.token({.role = "admin"}, changes)));
    }

    core::Access access_of(json::object const& changes) { return verify(changes)->access; }

    testing::FakeClock clock;
    testing::Issuer issuer{clock};
    auth::Jwks jwks{[this]() -> std::optional<std::string> { return issuer.jwks(); }, {.min_refetch = 0ms}};
    auth::UserTokens tokens;
};

} // namespace

TEST_CASE("the token of a client names the client and its scopes")
{
    ClientTokens f(false);
    auto const token = f.verify({{"client_id", "app"}, {"scope", "openid email"}});
    REQUIRE(token);
    CHECK(token->client_id == "app");
    CHECK(token->scope == "openid email");
    auto const other = f.verify({});
    REQUIRE(other);
    CHECK(other->client_id.empty());
    CHECK(other->scope.empty());
}

TEST_CASE("tokens of clients have the access of the user's role, unless the service tells them apart")
{
    ClientTokens together(false), apart(true);
    CHECK(together.access_of({{"client_id", "app"}}) == core::Access::admin);
    CHECK(apart.access_of({{"client_id", "app"}}) == core::Access::client);
    CHECK(apart.access_of({{"client_id", "app"}, {"scope", "openid"}}) == core::Access::client);
    CHECK(apart.access_of({}) == core::Access::admin);
    CHECK(apart.access_of({{"scope", "openid"}}) == core::Access::admin);
    CHECK(apart.verify({{"client_id", "app"}})->role == "admin");
}

TEST_CASE("the service's own clients act like the user")
{
    ClientTokens f(true);
    CHECK(f.access_of({{"client_id", "console"}}) == core::Access::admin);
    CHECK(f.access_of({{"client_id", "board"}}) == core::Access::admin);
    for (auto const* other : {"Console", "console ", "consol", "console2"})
        CHECK(f.access_of({{"client_id", other}}) == core::Access::client);
}

TEST_CASE("a token with an invalid client or scope is refused")
{
    ClientTokens f(true);
    for (json::value const& bad : {json::value(""), json::value(7), json::value(json::array{"console"}),
             json::value("a\nb"), json::value(std::string(321, 'a'))}) {
        INFO(bad);
        CHECK_FALSE(f.verify({{"client_id", bad}}));
        CHECK_FALSE(f.verify({{"client_id", "app"}, {"scope", bad}}));
    }
}

TEST_CASE("an enrolment token stays one, whatever client it names")
{
    ClientTokens f(true);
    CHECK(f.access_of({{"aud", "mfa-enrollment"}, {"client_id", "console"}}) == core::Access::enrolment);
}
