#include "mail_calls.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using testing::body, testing::require, testing::text;
using namespace std::chrono_literals;
namespace json = boost::json;

// The addresses that get emails about a thread.

namespace {

/// Creates a thread on behalf of `ada`, with an address that is not verified.
std::string create_for_ada(testing::HttpClient& caller, std::string const& title = "Dark mode")
{
    json::object const thread{{"category", "feature"}, {"title", title}, {"body", "The body of " + title},
        {"userId", testing::ada}, {"userEmail", ada_email}};
    return text(require(201, caller.post("/v1/feedbacks", body(thread))).json(), "feedbackId");
}

} // namespace

TEST_CASE("without notifyEmail, or when it is the author's own address, staff gets no email", "[mail]")
{
    MailWorld world;
    auto ada = world.as(testing::ada, ada_email);
    auto const thread = create(ada);
    reply(ada, thread, "Any news?");
    world.mails(0);
    CHECK(world.postgres.query("SELECT count(*) FROM thread_mails") == "0");
    world.set({{"notifyEmail", "ADA@users.example"}});
    create(ada);
    reply(ada, thread, "Any news?");
    world.mails(0);
}

TEST_CASE("users with unverified addresses and users who are the actors get no email", "[mail]")
{
    MailWorld world;
    auto ada = world.as(testing::ada, ada_email, false);
    auto const thread = create(ada);
    show_on_board(world, thread);
    auto bob = world.as(testing::bob, bob_email, false);
    vote(bob, thread);
    auto staff = world.as("staff-1", "sue@company.example", true, "admin");
    require(200, staff.put("/v1/feedbacks/" + thread + "/vote", ""));
    reply(staff, thread, "Sue's answer");
    set_status(staff, thread, "resolved");
    world.mails(0);
    CHECK(rows(world) == "0");
    // Another member of staff is not the actor. Sue is told what the other one did.
    auto other = world.as("staff-2", "tom@company.example", true, "admin");
    reply(other, thread, "Tom's answer");
    auto const mail = world.mails(1).front();
    CHECK(mail.at("envelope").at("to").at(0) == "sue@company.example");
    CHECK(std::string(mail.at("text").as_string()).find("Tom's answer") != std::string::npos);
    CHECK(whole(mail).find("Sue") == std::string::npos);
}

TEST_CASE("with notifyUsers off, users get no email", "[mail]")
{
    MailWorld world;
    auto const thread = thread_on_board(world);
    auto backend = world.as_backend();
    world.set({{"notifyUsers", false}});
    reply(backend, thread, "First");
    world.mails(0);
    world.set({{"notifyUsers", true}});
    reply(backend, thread, "Second");
    world.mails(2);
    reply(backend, thread, "Third");
    world.set({{"notifyUsers", false}}); // before the pending email is sent
    world.advance(5min);
    world.mails(2);
}

TEST_CASE("voters get emails only while they can see the thread", "[mail]")
{
    MailWorld world;
    auto const thread = thread_on_board(world);
    auto backend = world.as_backend();
    world.set({{"publicBoard", false}});
    reply(backend, thread, "Only for Ada");
    CHECK(world.mails(1).front().at("envelope").at("to").at(0) == ada_email);
    CHECK_FALSE(contains(world.mails(1).front(), "/board/"));
    world.advance(5min);
    world.set({{"publicBoard", true}});
    require(200, backend.patch("/v1/feedbacks/" + thread, body({{"visibility", "private"}})));
    reply(backend, thread, "Only for Ada");
    world.mails(2);
    CHECK(world.mails_to(bob_email).empty());
    world.advance(5min);
    require(200, backend.patch("/v1/feedbacks/" + thread, body({{"visibility", "public"}})));
    auto bob = world.as(testing::bob, bob_email);
    require(200, bob.del("/v1/feedbacks/" + thread + "/vote"));
    reply(backend, thread, "Bob does not follow any more");
    world.mails(3);
    CHECK(world.mails_to(bob_email).empty());
}

TEST_CASE("all followers of a thread get an email, also more than one step of the fan-out adds", "[mail]")
{
    MailWorld world;
    auto const thread = thread_on_board(world);
    auto const scope = world.scope_id();
    world.postgres.query(R"(
        INSERT INTO followers (scope_id, feedback_id, user_id, email, email_verified, since)
        SELECT )" + scope +
                         ", '" + thread +
                         R"(', 'voter-' || n, 'voter-' || n || '@users.example', n > 10, now()
        FROM generate_series(1, 560) AS n)");
    auto backend = world.as_backend();
    set_status(backend, thread, "resolved");
    world.settle();
    std::set<std::string> recipients;
    for (auto const& mail : world.mails(552))
        recipients.emplace(mail.at("envelope").at("to").at(0).as_string());
    CHECK(recipients.size() == 552);
    CHECK(recipients.contains("voter-560@users.example"));
    CHECK_FALSE(recipients.contains("voter-10@users.example"));
    CHECK(world.postgres.query("SELECT count(*) FROM mail_fan_outs") == "0");
}

TEST_CASE("notifyEmail gets threads that keys and the master key create", "[mail]")
{
    MailWorld world;
    world.set({{"notifyEmail", team}});
    auto backend = world.as_backend(), master = world.as_master();
    std::size_t count = 0;
    for (auto* const caller : {&backend, &master}) {
        for (bool const is_on_behalf : {false, true}) {
            CAPTURE(caller == &master, is_on_behalf);
            auto const title = "Thread " + std::to_string(++count);
            auto const thread = is_on_behalf ? create_for_ada(*caller, title) : create(*caller, title);
            auto const mail = world.mails(count).back();
            CHECK(mail.at("envelope").at("to").at(0) == team);
            CHECK(text(mail, "subject") == "[A tenant] " + title);
            CHECK(contains(mail, "The body of " + title));
            CHECK((whole(mail).find(ada_email) != std::string::npos) == is_on_behalf);
            CHECK(header(mail, "References") == "<" + thread + "@mail.example>");
        }
    }
    world.advance(5min);
    world.mails(count);
}

TEST_CASE("a reporter whose address a key named gets no email until the address is verified", "[mail]")
{
    MailWorld world;
    auto backend = world.as_backend(), master = world.as_master();
    for (auto* const caller : {&backend, &master}) {
        auto const thread = create_for_ada(*caller);
        reply(backend, thread, "An answer");
        set_status(backend, thread, "in-progress");
    }
    world.mails(0);
    CHECK(rows(world) == "0");

    // Other followers get emails, and a vote on behalf of the reporter adds no address.
    auto const thread = create_for_ada(backend);
    show_on_board(world, thread);
    auto bob = world.as(testing::bob, bob_email);
    vote(bob, thread);
    require(200, master.put("/v1/feedbacks/" + thread + "/votes/" + testing::ada, ""));
    reply(backend, thread, "For Bob");
    CHECK(world.mails(1).front().at("envelope").at("to").at(0) == bob_email);

    // A merge does not verify the address.
    auto const target = create(bob, "Bob's thread"), source = create_for_ada(backend);
    require(200, backend.post("/v1/feedbacks/" + source + "/merge", body({{"into", target}})));
    reply(backend, target, "For Bob again");
    world.mails(2);
    CHECK(world.mails_to(ada_email).empty());

    // The reporter votes with a verified address, which is not the address that the key named.
    auto ada = world.as(testing::ada, "ada@verified.example");
    vote(ada, thread);
    world.advance(5min);
    reply(backend, thread, "For both");
    world.mails(4);
    CHECK(world.mails_to("ada@verified.example").size() == 1);
    CHECK(world.mails_to(ada_email).empty());
}

TEST_CASE("an address that is notifyEmail and follows the thread gets emails of both kinds once", "[mail]")
{
    MailWorld world;
    world.set({{"notifyEmail", team}});
    auto ada = world.as(testing::ada, ada_email), sue = world.as("staff-1", team, true, "admin");
    auto backend = world.as_backend();
    auto const thread = create(ada);
    show_on_board(world, thread);
    vote(ada, thread); // is the reporter, too
    vote(sue, thread);
    // The numbers of emails to the team's address: as notifyEmail, and as a follower.
    auto const counts = [&] {
        auto const mails = world.mails_to(team);
        auto const as_staff = std::ranges::count_if(
            mails, [](json::object const& mail) { return header(mail, "List-Unsubscribe").empty(); });
        return std::pair(as_staff, std::ssize(mails) - as_staff);
    };
    CHECK(counts() == std::pair(1L, 0L));
    world.advance(5min);

    reply(ada, thread, "Any news?");
    CHECK(counts() == std::pair(2L, 0L));
    reply(backend, thread, "We are on it.");
    CHECK(counts() == std::pair(2L, 1L));
    CHECK(contains(world.mails_to(team).back(), "We are on it."));
    CHECK(world.mails_to(ada_email).size() == 1);

    reply(ada, thread, "Thank you");
    reply(backend, thread, "It is done.");
    set_status(backend, thread, "resolved");
    world.advance(5min);
    CHECK(counts() == std::pair(3L, 2L));
    CHECK(world.mails_to(ada_email).size() == 2);
    auto const mails = world.mails_to(team);
    for (auto const& mail : {mails[mails.size() - 2], mails.back()}) {
        bool const is_to_staff = header(mail, "List-Unsubscribe").empty();
        CHECK(contains(mail, "Thank you") == is_to_staff);
        CHECK(contains(mail, "It is done.") != is_to_staff);
        CHECK(contains(mail, "The status is now: resolved") != is_to_staff);
    }
    world.advance(5min);
    CHECK(counts() == std::pair(3L, 2L));
}
