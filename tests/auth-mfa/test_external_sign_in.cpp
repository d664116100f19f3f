#include "identity_provider.hpp"
#include "support/process.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

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
    auto const email = World::new_email();
    auto const made = with_keys([&] { return sign_in(live.token(email)); });
    CHECK(made.status == 201);
    for (auto const* dead : {&gone, &broken})
        CHECK(sign_in(dead->token()).status == 503);
    auto const again = sign_in(live.token(email));
    CHECK(again.status == 200);
    CHECK(again.json().at("user") == made.json().at("user"));
}
