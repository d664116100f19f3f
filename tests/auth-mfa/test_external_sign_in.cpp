#include "support/eventually.hpp"
#include "support/issuer.hpp"
#include "support/process.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

// Identity providers that a tenant configures. test_peers.cpp tests sign-in with a real identity provider.

namespace {

namespace json = boost::json;

/// An identity provider. Its tokens are for the client `app`.
class Provider {
public:
    Provider(core::Clock const& clock, std::string issuer) : issuer_(std::move(issuer)), signer_(clock) {}

    std::string jwks() const { return signer_.jwks(); }

    /// An element of the setting `identityProviders`.
    json::object as_setting(std::string const& jwks_url) const
    {
        return {{"issuer", issuer_}, {"audience", "app"}, {"jwksUrl", jwks_url}};
    }

    /// An id token of a new user.
    std::string token() const
    {
        auto claims = signer_.claims({.email = World::new_email()});
        claims["iss"] = issuer_;
        claims["aud"] = "app";
        claims["sub"] = claims.at("email");
        return signer_.sign(claims, {{"typ", "JWT"}});
    }

private:
    std::string const issuer_;
    testing::Issuer const signer_;
};

} // namespace

TEST_CASE("an identity provider whose keys are unavailable does not affect another provider", "[external]")
{
    World const world;
    Provider const live(world.clock, "https://live.example.com"),
        gone(world.clock, "https://gone.example.com"), broken(world.clock, "https://broken.example.com");
    testing::IssuerServer const live_keys([&] { return live.jwks(); });
    testing::IssuerServer broken_keys([&] { return broken.jwks(); });
    broken_keys.answer_with(500);
    auto const nowhere = "http://127.0.0.1:" + std::to_string(testing::free_port()) + "/jwks";
    world.set({{"identityProviders",
        {gone.as_setting(nowhere), broken.as_setting(broken_keys.url()), live.as_setting(live_keys.url())}}});

    auto const sign_in = [&](std::string const& token) {
        return world.client().post("/v1/auth/external", body({{"idToken", token}}));
    };
    for (auto const* dead : {&gone, &broken}) {
        auto const r = sign_in(dead->token());
        CHECK(r.status == 503);
        CHECK(error_of(r) == "UNAVAILABLE");
        CHECK_FALSE(r.header("retry-after").empty());
    }
    auto const token = live.token();
    testing::HttpResponse made;
    // On a stalled machine the keys may arrive too late. They are fetched again after ten seconds.
    REQUIRE(testing::eventually(
        [&] {
            made = sign_in(token);
            return made.status != 503;
        },
        1min));
    CHECK(made.status == 201);
    for (auto const* dead : {&gone, &broken})
        CHECK(sign_in(dead->token()).status == 503);
    auto const again = sign_in(token);
    CHECK(again.status == 200);
    CHECK(again.json().at("user") == made.json().at("user"));
}
