#include "world.hpp"

#include <catch2/catch.hpp>

// The reporter and the visibility of a new thread.

TEST_CASE("a key and the master key create a thread on behalf of a user", "[feedback]")
{
    World world;
    auto backend = world.as_backend(), master = world.as_master();
    auto user = world.as_user(ada);
    for (auto* const caller : {&backend, &master}) {
        CAPTURE(caller == &master);
        auto const made = caller->post("/v1/feedbacks",
            std::string(
                R"({"category":"bug","title":"t","body":"b","userEmail":"ada@example.com","userId":")") +
                ada + "\"}");
        REQUIRE(made.status == 201);
        CHECK(text(made.json(), "userId") == ada);
        CHECK(text(made.json(), "userEmail") == "ada@example.com");
        CHECK(made.json().at("userEmailVerified").is_null());
        auto const path = "/v1/feedbacks/" + text(made.json(), "feedbackId");
        CHECK(user.get(path).json() == made.json());
        CHECK(world.as_user(bob).get(path).status == 404);

        auto const without_email = caller->post("/v1/feedbacks",
            std::string(R"({"category":"bug","title":"t","body":"b","userId":")") + ada + "\"}");
        REQUIRE(without_email.status == 201);
        CHECK(text(without_email.json(), "userId") == ada);
        CHECK(without_email.json().at("userEmail").is_null());

        auto const refused = caller->post(
            "/v1/feedbacks", R"({"category":"bug","title":"t","body":"b","userEmail":"ada@example.com"})");
        CHECK(refused.status == 400);
        CHECK(refused.body.find("/userId") != std::string::npos);
        CHECK(caller
                  ->post("/v1/feedbacks",
                      R"({"category":"bug","title":"t","body":"b","userId":"u","userEmail":"no"})")
                  .status == 400);
    }
    CHECK(all_items(user, "/v1/feedbacks").size() == 4);

    auto const own = user.post("/v1/feedbacks",
        std::string(R"({"category":"bug","title":"t","body":"b","userEmail":"x@example.com","userId":")") +
            bob + "\"}");
    CHECK(text(own.json(), "userId") == ada);
    CHECK(text(own.json(), "userEmail") == "user@example.com");
    CHECK(own.json().at("userEmailVerified").is_null()); // the token does not say it
    for (bool const verified : {true, false}) {
        auto sure = world.with(world.issuer.token(
            {.subject = ada, .email = "ada@example.com", .role = "user"}, {{"email_verified", verified}}));
        auto const posted = sure.post("/v1/feedbacks", R"({"category":"bug","title":"t","body":"b"})");
        CHECK(posted.json().at("userEmailVerified") == verified);
    }
}

TEST_CASE("feature requests of all callers are public by default if the setting says so", "[board]")
{
    World world;
    auto callers = all_staff(world);
    callers.push_back({"user", ada, world.as_user(ada)});
    for (bool const is_on : {false, true}) {
        testing::require(
            200, world.as_backend().patch("/v1/settings", testing::body({{"publicByDefault", is_on}})));
        for (auto& [name, id, client] : callers) {
            for (std::string const category : {"feature", "bug", "general", "support"}) {
                CAPTURE(is_on, name, category);
                auto const made = client.post(
                    "/v1/feedbacks", testing::body({{"title", "t"}, {"body", "b"}, {"category", category}}));
                REQUIRE(made.status == 201);
                CHECK(text(made.json(), "visibility") ==
                      (is_on && category == "feature" ? "public" : "private"));
            }
        }
    }
}
