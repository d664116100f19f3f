#include "search_calls.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

TEST_CASE("similar threads have common words in the title", "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    auto user = world.as_user(ada), other = world.as_user(bob);
    auto const dark = make(backend, "Dark mode for the app");
    auto const own = make(user, "Dark mode");
    make(backend, "Export of data");
    auto const gone = make(backend, "Dark mode is broken");
    REQUIRE(backend.del("/v1/feedbacks/" + gone).status == 200);
    auto const found = similar(backend, "dark mode");
    REQUIRE(found.size() == 2);
    CHECK(text(found[0], "feedbackId") == own);
    CHECK(found[0].at("score").to_number<double>() == 1);
    CHECK(text(found[1], "title") == "Dark mode for the app");
    CHECK(text(found[1], "status") == "open");
    CHECK(found[1].at("voteCount") == 0);
    CHECK(found[1].at("score").to_number<double>() < 1);
    CHECK(similar(backend, "🎉").empty());
    CHECK(backend.get("/v1/feedbacks/similar").status == 400);

    CHECK(similar(user, "dark mode").size() == 1);
    CHECK(similar(other, "dark mode").empty());
    REQUIRE(backend.patch("/v1/feedbacks/" + dark, R"({"visibility":"public"})").status == 200);
    CHECK(similar(other, "dark mode").empty());
    REQUIRE(backend.patch("/v1/settings", R"({"publicBoard":true})").status == 200);
    REQUIRE(testing::eventually([&] { return similar(other, "dark mode").size() == 1; }));
    CHECK(text(similar(other, "dark mode")[0], "feedbackId") == dark);
    CHECK(similar(user, "dark mode").size() == 2);
    REQUIRE(backend.post("/v1/feedbacks/" + dark + "/merge", R"({"into":")" + own + "\"}").status == 200);
    CHECK(similar(other, "dark mode").empty());
    CHECK(similar(backend, "dark mode").size() == 1);

    for (int i = 0; i < 12; ++i)
        make(backend, "Blue mode " + std::to_string(i));
    CHECK(similar(backend, "blue mode").size() == 10);
}

TEST_CASE("staff see private threads of all users among similar ones, and users see their own",
    "[feedback][search]")
{
    World world;
    auto user = world.as_user(ada), other = world.as_user(bob);
    auto const own = make(user, "Dark mode"), foreign = make(other, "Dark mode please");
    auto const ids = [](testing::HttpClient& client) { return ids_of(similar(client, "dark mode")); };
    for (bool const is_on : {false, true}) {
        testing::require(
            200, world.as_backend().patch("/v1/settings", testing::body({{"publicBoard", is_on}})));
        for (auto& [name, id, client] : all_staff(world)) {
            CAPTURE(is_on, name);
            CHECK(ids(client) == std::vector{own, foreign});
        }
        CHECK(ids(user) == std::vector{own});
        CHECK(ids(other) == std::vector{foreign});
    }
}
