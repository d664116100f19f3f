#pragma once

#include "mail_world.hpp"
#include "support/eventually.hpp"
#include "support/json.hpp"

#include <catch2/catch.hpp>

#include <string>

// Requests that cause emails, and checks of emails.

inline constexpr char const* team = "team@company.example";
inline constexpr char const* ada_email = "ada@users.example";
inline constexpr char const* bob_email = "bob@users.example";

inline std::string create(testing::HttpClient& client, std::string const& title = "Dark mode",
    std::string const& category = "feature")
{
    auto const made = client.post("/v1/feedbacks",
        testing::body({{"category", category}, {"title", title}, {"body", "The body of " + title}}));
    return testing::text(testing::require(201, made).json(), "feedbackId");
}

inline std::string reply(
    testing::HttpClient& client, std::string const& thread, std::string const& words, bool internal = false)
{
    boost::json::object document{{"body", words}};
    if (internal) document["internal"] = true;
    auto const made = client.post("/v1/feedbacks/" + thread + "/replies", testing::body(document));
    return testing::text(testing::require(201, made).json(), "replyId");
}

inline void set_status(testing::HttpClient& client, std::string const& thread, std::string const& status)
{
    testing::require(200, client.patch("/v1/feedbacks/" + thread, testing::body({{"status", status}})));
}

inline void show_on_board(MailWorld& world, std::string const& thread)
{
    world.set({{"publicBoard", true}});
    testing::require(
        200, world.as_backend().patch("/v1/feedbacks/" + thread, testing::body({{"visibility", "public"}})));
}

/// Votes as soon as the service knows that the board is on.
inline void vote(testing::HttpClient& user, std::string const& thread)
{
    REQUIRE(
        testing::eventually([&] { return user.put("/v1/feedbacks/" + thread + "/vote", "").status == 200; }));
}

/// A thread on the board that `ada` wrote and that `bob` voted for.
inline std::string thread_on_board(MailWorld& world)
{
    auto ada = world.as(testing::ada, ada_email), bob = world.as(testing::bob, bob_email);
    auto const thread = create(ada);
    show_on_board(world, thread);
    vote(bob, thread);
    return thread;
}

inline bool contains(boost::json::object const& mail, std::string const& words)
{
    return std::string(mail.at("text").as_string()).find(words) != std::string::npos &&
           std::string(mail.at("html").as_string()).find(words) != std::string::npos;
}

inline std::string rows(MailWorld const& world)
{
    return world.postgres.query("SELECT count(*) FROM thread_mails");
}
