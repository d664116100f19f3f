#include "mail_calls.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using testing::body, testing::require, testing::text;
using namespace std::chrono_literals;
namespace json = boost::json;

TEST_CASE(
    "notifyEmail gets new threads and replies of users, at most one email of a thread in 5 minutes", "[mail]")
{
    MailWorld world;
    world.set({{"notifyEmail", team}});
    auto ada = world.as(testing::ada, ada_email, false);
    auto backend = world.as_backend();
    auto const thread = create(ada);
    auto const first = world.mails(1).front();
    CHECK(first.at("envelope").at("to").at(0) == team);
    CHECK(first.at("envelope").at("from") == "feedback@mail.example");
    CHECK(text(first, "subject") == "[A tenant] Dark mode");
    CHECK(contains(first, "The body of Dark mode"));
    CHECK(contains(first, ada_email));
    CHECK(contains(first, "feature"));
    CHECK(header(first, "Auto-Submitted") == "auto-generated");
    CHECK(header(first, "List-Unsubscribe").empty());
    CHECK(header(first, "Reply-To").empty());
    CHECK(header(first, "References") == "<" + thread + "@mail.example>");
    CHECK(header(first, "In-Reply-To") == header(first, "References"));

    reply(ada, thread, "Any news?");
    reply(backend, thread, "We are on it."); // staff is not told about its own replies
    world.advance(4min);
    reply(ada, thread, "Hello?");
    world.advance(59s);
    world.mails(1);
    world.advance(1s);
    auto const second = world.mails(2).back();
    CHECK(contains(second, "Any news?"));
    CHECK(contains(second, "Hello?"));
    CHECK_FALSE(contains(second, "We are on it."));
    CHECK_FALSE(contains(second, "The body of Dark mode"));
    CHECK(header(second, "References") == header(first, "References"));
    CHECK(header(second, "Message-ID") != header(first, "Message-ID"));

    create(ada, "Another one"); // another thread has a window of its own
    CHECK(text(world.mails(3).back(), "subject") == "[A tenant] Another one");

    CHECK(rows(world) == "2");
    world.advance(5min);
    CHECK(rows(world) == "0");
    CHECK(world.postgres.query("SELECT count(*) FROM jobs WHERE queue LIKE '%mail%'") == "0");
    reply(ada, thread, "Still there?");
    CHECK(contains(world.mails(4).back(), "Still there?"));
}

TEST_CASE(
    "a reply of staff and a change of the status reach the reporter and the voters in one email", "[mail]")
{
    MailWorld world;
    auto const thread = thread_on_board(world);
    auto backend = world.as_backend();
    set_status(backend, thread, "in-progress");
    auto const sent = world.mails(2);
    std::set<std::string> recipients;
    for (auto const& mail : sent) {
        recipients.emplace(mail.at("envelope").at("to").at(0).as_string());
        CHECK(contains(mail, "The status is now: in progress"));
        CHECK(contains(mail, "/board/posts/" + thread));
        CHECK(header(mail, "List-Unsubscribe-Post") == "List-Unsubscribe=One-Click");
        CHECK(header(mail, "Auto-Submitted") == "auto-generated");
        CHECK(contains(mail, unsubscribe_path(mail)));
    }
    CHECK(recipients == std::set<std::string>{ada_email, bob_email});

    reply(backend, thread, "It is done.\nEnjoy <it> & tell us.");
    set_status(backend, thread, "resolved");
    world.advance(4min + 59s);
    world.mails(2);
    world.advance(1s);
    for (auto const* address : {ada_email, bob_email}) {
        auto const mails = world.mails_to(address);
        REQUIRE(mails.size() == 2);
        CHECK(contains(mails.back(), "The team replied:"));
        CHECK(std::string(mails.back().at("text").as_string()).find("It is done.\nEnjoy <it> & tell us.") !=
              std::string::npos);
        CHECK(std::string(mails.back().at("html").as_string()).find("Enjoy &lt;it&gt; &amp; tell us.") !=
              std::string::npos);
        CHECK(contains(mails.back(), "The status is now: resolved"));
        CHECK_FALSE(contains(mails.back(), "in progress"));
    }
}

TEST_CASE("internal notes, replies of users and changes of other fields cause no email to users", "[mail]")
{
    MailWorld world;
    auto const thread = thread_on_board(world);
    auto backend = world.as_backend();
    auto ada = world.as(testing::ada, ada_email);
    reply(backend, thread, "A secret note", true);
    reply(ada, thread, "A reply of the reporter");
    require(200, backend.patch("/v1/feedbacks/" + thread, body({{"priority", "high"}, {"tags", {"x"}}})));
    require(200, backend.patch("/v1/feedbacks/" + thread, body({{"status", "open"}}))); // no change
    world.mails(0);
    reply(backend, thread, "An answer");
    for (auto const& mail : world.mails(2)) {
        CHECK(whole(mail).find("secret") == std::string::npos);
        CHECK(whole(mail).find("reply of the reporter") == std::string::npos);
    }
}

TEST_CASE("an email contains replies as they are when it is sent", "[mail]")
{
    MailWorld world;
    auto ada = world.as(testing::ada, ada_email);
    auto backend = world.as_backend();
    auto const thread = create(ada);
    auto const replies = "/v1/feedbacks/" + thread + "/replies/";
    reply(backend, thread, "First");
    world.mails(1);
    auto const edited = reply(backend, thread, "The old words"),
               deleted = reply(backend, thread, "A mistake");
    require(200, backend.patch(replies + edited, body({{"body", "The new words"}})));
    require(200, backend.del(replies + deleted));
    world.advance(5min);
    auto const second = world.mails(2).back();
    CHECK(contains(second, "The new words"));
    CHECK(whole(second).find("old words") == std::string::npos);
    CHECK(whole(second).find("mistake") == std::string::npos);

    require(200, backend.del(replies + reply(backend, thread, "Another mistake")));
    world.advance(5min); // there is nothing to report
    world.mails(2);
    CHECK(rows(world) == "0");

    reply(backend, thread, "Good news");
    world.mails(3);
    reply(backend, thread, "More news");
    require(200, backend.del("/v1/feedbacks/" + thread));
    world.advance(5min); // a deleted thread sends nothing
    world.mails(3);
    CHECK(rows(world) == "0");
}

TEST_CASE("the reporter of a merged thread follows the target", "[mail]")
{
    MailWorld world;
    auto ada = world.as(testing::ada, ada_email), bob = world.as(testing::bob, bob_email);
    auto backend = world.as_backend();
    auto const source = create(ada, "Ada's words"), target = create(bob, "Bob's words");
    require(200, backend.post("/v1/feedbacks/" + source + "/merge", body({{"into", target}})));
    auto const merged = world.mails(1).front();
    CHECK(merged.at("envelope").at("to").at(0) == ada_email);
    CHECK(contains(merged, "The team merged this thread into another one."));
    reply(backend, target, "An answer to both");
    world.mails(3);
    auto const mail = world.mails_to(ada_email).back();
    CHECK(contains(mail, "An answer to both"));
    // The target is private, so Ada sees the title of her own thread.
    CHECK(text(mail, "subject") == "[A tenant] Ada's words");
    CHECK(whole(mail).find("Bob") == std::string::npos);
    CHECK(text(world.mails_to(bob_email).back(), "subject") == "[A tenant] Bob's words");
}

TEST_CASE("emails to users contain no personal data of others and no internal notes", "[mail]")
{
    MailWorld world;
    world.set({{"notifyEmail", team}});
    auto const thread = thread_on_board(world);
    auto staff = world.as("staff-id-1", "sue@company.example", true, "owner");
    auto carol = world.as("carol-id", "carol@users.example");
    require(200, carol.put("/v1/feedbacks/" + thread + "/vote", ""));
    require(200, staff.patch("/v1/feedbacks/" + thread,
                     body({{"assigneeId", "staff-id-1"}, {"assigneeEmail", "sue@company.example"}})));
    reply(staff, thread, "An internal note", true);
    reply(staff, thread, "A public answer");
    set_status(staff, thread, "resolved");
    world.mails(4); // the new thread, and the answer to three users
    world.advance(5min);
    for (auto const* address : {ada_email, bob_email, "carol@users.example"}) {
        auto const mails = world.mails_to(address);
        REQUIRE_FALSE(mails.empty());
        for (auto const& mail : mails) {
            auto const all = whole(mail);
            for (std::string const secret : {"sue@", "staff-id", "internal note", "carol-id", team,
                     testing::ada, testing::bob, ada_email, bob_email, "carol@users.example"}) {
                INFO(address << ' ' << secret);
                auto const allowed = secret == address ? 1 : 0; // To
                int found = 0;
                for (auto at = all.find(secret); at != std::string::npos; at = all.find(secret, at + 1))
                    ++found;
                CHECK(found == allowed);
            }
        }
    }
}

TEST_CASE("a refused email is not repeated, and a failed one is repeated for a day", "[mail]")
{
    MailWorld world;
    auto backend = world.as_backend();
    SECTION("refused")
    {
        auto ada = world.as(testing::ada, "refuse-550-5.1.1@users.example");
        auto const thread = create(ada);
        reply(backend, thread, "First");
        world.settle();
        CHECK(world.postgres.query("SELECT requested_at IS NULL FROM thread_mails") == "t");
        world.advance(5min);
        CHECK(rows(world) == "0");
    }
    SECTION("failed")
    {
        auto ada = world.as(testing::ada, "fail-451-4.3.0@users.example");
        auto const thread = create(ada);
        reply(backend, thread, "First");
        world.settle();
        CHECK(world.postgres.query("SELECT failures FROM thread_mails") == "1");
        world.advance(10s);
        CHECK(world.postgres.query("SELECT failures FROM thread_mails") == "2");
        world.advance(23h);
        CHECK(rows(world) == "1");
        world.advance(1h);
        world.advance(15min);
        CHECK(rows(world) == "0");
        CHECK(world.postgres.query("SELECT count(*) FROM jobs WHERE queue LIKE '%mail%'") == "0");
        CHECK(world.logged().find("users.example") == std::string::npos);
    }
    world.mails(0);
}

TEST_CASE("an email has room for a number of changes; the others follow in the next one", "[mail]")
{
    MailWorld world;
    auto ada = world.as(testing::ada, ada_email);
    auto backend = world.as_backend();
    auto const thread = create(ada);
    reply(backend, thread, "Answer 0.");
    world.mails(1);
    for (int i = 1; i <= 25; ++i)
        reply(backend, thread, "Answer " + std::to_string(i) + '.');
    world.advance(5min);
    auto const second = world.mails(2).back();
    CHECK(contains(second, "Answer 1."));
    CHECK(contains(second, "Answer 20."));
    CHECK_FALSE(contains(second, "Answer 21."));
    CHECK(contains(second, "They follow in the next email."));
    world.advance(5min);
    auto const third = world.mails(3).back();
    CHECK(contains(third, "Answer 21."));
    CHECK(contains(third, "Answer 25."));
    CHECK_FALSE(contains(third, "Answer 20."));
}

TEST_CASE("the erasure of a user withdraws the user's pending emails", "[mail]")
{
    MailWorld world;
    auto const thread = thread_on_board(world);
    auto backend = world.as_backend();
    reply(backend, thread, "First");
    world.mails(2);
    reply(backend, thread, "Second");
    world.settle();
    world.postgres.query(
        "INSERT INTO mail_fan_outs (scope_id, feedback_id, since, after_user) SELECT scope_id, "
        "feedback_id, now(), '" +
        std::string(testing::bob) + "' FROM feedbacks");
    require(200, backend.del("/v1/users/" + std::string(testing::bob)));
    CHECK(world.postgres.query("SELECT count(*) FROM thread_mails WHERE recipient <> '" +
                               std::string(testing::ada) + "'") == "0");
    CHECK(world.postgres.query("SELECT after_user FROM mail_fan_outs").empty());
    world.postgres.query("DELETE FROM mail_fan_outs");
    require(200, backend.del("/v1/users/" + std::string(testing::ada) + "?mode=anonymize"));
    CHECK(rows(world) == "0");
    world.advance(5min);
    world.mails(2);
}
