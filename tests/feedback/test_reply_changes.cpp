#include "receiver.hpp"
#include "support/eventually.hpp"
#include "support/user_markers.hpp"
#include "user_world.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

namespace {

namespace json = boost::json;
using testing::require;

/// A thread of ada's, and its path.
struct Thread {
    explicit Thread(World const& world)
        : user(world.as_user(ada)), id(new_thread(user)), path("/v1/feedbacks/" + id)
    {
    }

    std::string reply(
        testing::HttpClient& client, std::string const& body = "before", bool internal = false) const
    {
        return path + "/replies/" + reply_to(client, id, body, {}, internal);
    }

    testing::HttpClient user;
    std::string id, path;
};

testing::HttpResponse edit(testing::HttpClient& client, std::string const& reply, std::string const& body,
    testing::HttpClient::Headers const& headers = {})
{
    return client.patch(reply, testing::body({{"body", body}}), headers);
}

} // namespace

TEST_CASE("the author edits a reply, and staff read the previous bodies", "[feedback]")
{
    World world;
    Thread t(world);
    auto backend = world.as_backend();
    auto const path = t.reply(t.user, "one");
    auto const posted = all_items(t.user, t.path + "/replies").at(0);
    CHECK(posted.at("editedAt").is_null());
    auto const before = t.user.get(t.path);

    auto const second = require(200, edit(t.user, path, "two"));
    auto const third = require(200, edit(t.user, path, "three"));
    CHECK(text(third.json(), "body") == "three");
    CHECK(text(third.json(), "editedAt") >= text(third.json(), "createdAt"));
    CHECK(third.json().at("createdAt") == posted.at("createdAt"));
    CHECK(all_items(t.user, t.path + "/replies").at(0) == third.json());
    CHECK_FALSE(third.json().as_object().contains("internal"));

    auto const after = t.user.get(t.path);
    CHECK(after.header("etag") != before.header("etag"));
    CHECK(after.json().at("version").as_int64() == before.json().at("version").as_int64() + 2);
    CHECK(after.json().at("replyCount") == 1);
    CHECK(after.json().at("lastReplyAt") == before.json().at("lastReplyAt"));

    auto const history = all_items(backend, path + "/history", 1);
    REQUIRE(history.size() == 2);
    CHECK(history[0] == json::object{{"body", "two"}, {"editedAt", third.json().at("editedAt")}});
    CHECK(history[1] == json::object{{"body", "one"}, {"editedAt", second.json().at("editedAt")}});
    CHECK(t.user.get(path + "/history").status == 403);
    CHECK(all_items(backend, t.reply(backend) + "/history").empty());
}

TEST_CASE("an edit that does not change the body is no edit", "[feedback]")
{
    World world;
    Thread t(world);
    auto const path = t.reply(t.user, "same");
    auto const before = t.user.get(t.path);
    CHECK(require(200, edit(t.user, path, "same")).json().at("editedAt").is_null());
    CHECK(t.user.get(t.path).body == before.body);
    CHECK(all_items(*std::make_unique<testing::HttpClient>(world.as_backend()), path + "/history").empty());
}

TEST_CASE("only the author edits a reply; the author and staff delete it", "[feedback]")
{
    World world;
    Thread t(world);
    auto backend = world.as_backend(), master = world.as_master(), admin = world.as_user(bob, "admin");
    auto other_user = world.as_user(bob), other_admin = world.as_user("carol", "admin");
    std::vector<testing::HttpClient*> const all{&t.user, &backend, &master, &admin};
    for (auto* author : all) {
        auto const path = t.reply(*author);
        for (auto* other : all)
            if (other != author) CHECK(edit(*other, path, "changed").status == 403);
        CHECK(edit(other_admin, path, "changed").status == 403);
        CHECK(edit(other_user, path, "changed").status == 404);
        CHECK(other_user.del(path).status == 404);
        if (author != &t.user) CHECK(t.user.del(path).status == 403);
        CHECK(edit(*author, path, "changed").status == 200);
        CHECK(require(200, author->del(path)).body == R"({"deleted":true})");
        CHECK(author->del(path).status == 404);
        CHECK(edit(*author, path, "again").status == 404);
        CHECK(backend.get(path + "/history").status == 404);
    }
    for (auto* other : {&backend, &master, &admin}) {
        auto const path = t.reply(t.user);
        CHECK(other->del(path).status == 200);
    }
    CHECK(t.user.get(t.path).json().at("replyCount") == 0);
    CHECK(miscounted(world.postgres) == "0");
}

TEST_CASE(
    "a user whose id is that of a key or of the operator is not the author of their replies", "[feedback]")
{
    World world;
    Thread t(world);
    auto backend = world.as_backend(), master = world.as_master();
    auto const of_key = t.reply(backend), of_master = t.reply(master);
    auto key_like = world.as_user("key:" + world.key().substr(0, 12), "admin");
    auto master_like = world.as_user("master", "admin");
    CHECK(edit(key_like, of_key, "x").status == 403);
    CHECK(edit(master_like, of_master, "x").status == 403);
}

TEST_CASE("a deletion lowers the number of replies and leaves the time of the last one", "[feedback]")
{
    World world;
    Thread t(world);
    auto backend = world.as_backend();
    t.reply(t.user);
    auto const note = t.reply(backend, "note", true), last = t.reply(backend);
    auto const user_before = t.user.get(t.path), staff_before = backend.get(t.path);
    REQUIRE(backend.del(last).status == 200);
    auto const user_after = t.user.get(t.path), staff_after = backend.get(t.path);
    CHECK(user_after.json().at("replyCount") == 1);
    CHECK(staff_after.json().at("replyCount") == 2);
    CHECK(user_after.json().at("lastReplyAt") == user_before.json().at("lastReplyAt"));
    CHECK(staff_after.json().at("lastReplyAt") == staff_before.json().at("lastReplyAt"));
    CHECK(user_after.header("etag") != user_before.header("etag"));
    CHECK(all_items(t.user, t.path + "/replies").size() == 1);
    // Another reply restores the count, but not the ETag.
    t.reply(backend);
    CHECK(t.user.get(t.path).header("etag") != user_before.header("etag"));
    CHECK(backend.get(t.path).header("etag") != staff_before.header("etag"));
}

TEST_CASE("a user does not notice that an internal note is edited or deleted", "[feedback]")
{
    World world;
    Thread t(world);
    auto backend = world.as_backend();
    auto const note = t.reply(backend, "note", true);
    auto const before = t.user.get(t.path);
    auto tag = backend.get(t.path).header("etag");
    CHECK(edit(t.user, note, "x").status == 404);
    CHECK(t.user.del(note).status == 404);
    auto const absent = t.path + "/replies/0190a5d2-0000-7000-8000-000000000001";
    CHECK(testing::without_request_id(t.user.del(note)) == testing::without_request_id(t.user.del(absent)));

    CHECK(require(200, edit(backend, note, "changed")).json().at("internal") == true);
    CHECK(backend.get(t.path).header("etag") != tag);
    tag = backend.get(t.path).header("etag");
    REQUIRE(backend.del(note).status == 200);
    CHECK(backend.get(t.path).header("etag") != tag);
    // A new note restores the count, but not the ETag.
    t.reply(backend, "note", true);
    CHECK(backend.get(t.path).header("etag") != tag);
    auto const after = t.user.get(t.path);
    CHECK(after.body == before.body);
    CHECK(after.header("etag") == before.header("etag"));
}

TEST_CASE("replies of a deleted or merged thread cannot be changed", "[feedback]")
{
    World world;
    auto backend = world.as_backend();
    for (bool const merged : {false, true}) {
        Thread t(world);
        auto const path = t.reply(t.user);
        if (merged)
            world.postgres.query(
                "UPDATE feedbacks SET merged_into = gen_random_uuid() WHERE feedback_id = '" + t.id + "'");
        else
            REQUIRE(backend.del(t.path).status == 200);
        CHECK(edit(t.user, path, "x").status == 409);
        CHECK(t.user.del(path).status == 409);
        CHECK(backend.del(path).status == 409);
        CHECK(t.user.post(t.path + "/replies", R"({"body":"x"})").status == 409);
        CHECK(all_items(backend, t.path + "/replies").size() == 1);
    }
}

TEST_CASE("invalid edits are refused with the name of the field", "[feedback]")
{
    World world;
    Thread t(world);
    auto const path = t.reply(t.user);
    CHECK(testing::faults_of(t.user.patch(path, "{}")) == "/body required");
    for (auto const* bad :
        {R"({"body":""})", R"({"body":null})", R"({"body":1})", R"({"body":"\u0000"})", "[]"}) {
        CAPTURE(bad);
        CHECK(t.user.patch(path, bad).status == 400);
    }
    CHECK(edit(t.user, path, std::string(20'001, 'x')).status == 400);
    CHECK(edit(t.user, path, std::string(20'000, 'x')).status == 200);
    CHECK(edit(t.user, t.path + "/replies/x", "x").status == 404);
    Thread const elsewhere(world);
    auto const id = path.substr(path.rfind('/') + 1);
    CHECK(edit(t.user, elsewhere.path + "/replies/" + id, "x").status == 404);
    CHECK(t.user.del(elsewhere.path + "/replies/" + id).status == 404);
}

TEST_CASE("a change of a reply is guarded by its ETag", "[feedback]")
{
    World world;
    Thread t(world);
    auto const posted = require(201, t.user.post(t.path + "/replies", R"({"body":"one"})"));
    auto const path = t.path + "/replies/" + text(posted.json(), "replyId");
    auto const edited = require(200, edit(t.user, path, "two", {{"If-Match", posted.header("etag")}}));
    CHECK(edited.header("etag") != posted.header("etag"));
    CHECK(edit(t.user, path, "three", {{"If-Match", posted.header("etag")}}).status == 412);
    CHECK(t.user.del(path, {{"If-Match", posted.header("etag")}}).status == 412);
    CHECK(t.user.del(path, {{"If-Match", edited.header("etag")}}).status == 200);
}

TEST_CASE("the attachments of a deleted reply are deleted", "[feedback]")
{
    UserWorld world;
    auto user = world.as_user(ada), backend = world.as_backend();
    auto const of_thread = upload(user, "a.txt", "kept"), of_reply = upload(user, "b.txt", "gone");
    auto const thread = thread_of(user, "x", {of_thread});
    auto const reply = reply_to(user, thread, "x", {of_reply});
    REQUIRE(user.del("/v1/feedbacks/" + thread + "/replies/" + reply).status == 200);
    CHECK(user.get("/v1/attachments/" + of_reply).status == 404);
    CHECK(user.get("/v1/attachments/" + of_thread).status == 200);
    CHECK(testing::eventually([&] { return testing::find_marked_files(world.blobs(), "gone").empty(); }));
    CHECK(testing::find_marked_files(world.blobs(), "kept").size() == 1);
}

TEST_CASE("changes of replies are audited without the bodies, and announced to webhooks", "[feedback]")
{
    World world;
    testing::Receiver const receiver([](testing::Received const&) { return testing::reply(204); });
    Thread t(world);
    auto backend = world.as_backend();
    auto const path = t.reply(t.user, "secret-one");
    require(201, backend.post("/v1/webhooks", testing::body({{"url", receiver.url()},
                                                  {"events", {"reply.updated", "reply.deleted"}}})));
    auto const edited = require(200, edit(t.user, path, "secret-two"));
    REQUIRE(backend.del(path).status == 200);

    REQUIRE(testing::eventually([&] { return receiver.received().size() == 2; }));
    std::set<std::string> types;
    for (auto const& received : receiver.received()) {
        auto const event = json::parse(received.body);
        types.insert(text(event, "type"));
        auto data = event.at("data").as_object();
        CHECK(data.at("internal") == false);
        data.erase("internal");
        CHECK(data == edited.json());
    }
    CHECK(types == std::set<std::string>{"reply.deleted", "reply.updated"});

    auto const audit = backend.get("/v1/audit");
    CHECK(audit.body.find("secret-") == std::string::npos);
    auto const entries = audit.json().at("items").as_array();
    CHECK(entries.at(0).at("action") == "reply.deleted");
    CHECK(text(entries.at(0), "actor").starts_with("key:"));
    CHECK(entries.at(1).at("action") == "reply.updated");
    CHECK(text(entries.at(1), "actor") == ada);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(entries.at(i).at("subjectType") == "reply");
        CHECK(text(entries.at(i), "subjectId") == path.substr(path.rfind('/') + 1));
        CHECK(text(entries.at(i).at("before"), "feedbackId") == t.id);
    }
}

TEST_CASE("a user's reply opens a resolved or closed thread again", "[feedback]")
{
    World world;
    testing::Receiver const receiver([](testing::Received const&) { return testing::reply(204); });
    Thread t(world);
    auto backend = world.as_backend();
    require(201, backend.post("/v1/webhooks",
                     testing::body({{"url", receiver.url()}, {"events", {"feedback.updated"}}})));
    std::size_t events = 0;
    for (auto const* status : {"resolved", "closed"}) {
        require(200, backend.patch(t.path, testing::body({{"status", status}})));
        t.reply(backend);
        CHECK(text(t.user.get(t.path).json(), "status") == status);
        auto const version = t.user.get(t.path).json().at("version").as_int64();
        t.reply(t.user);
        auto const thread = t.user.get(t.path).json();
        CHECK(text(thread, "status") == "open");
        CHECK(thread.at("version").as_int64() == version + 1);
        auto const newest = all_items(backend, t.path + "/history").at(0);
        CHECK(text(newest, "from") == status);
        CHECK(text(newest, "to") == "open");
        CHECK(text(newest, "actorId") == ada);
        CHECK(text(newest, "actorRole") == "user");
        auto const entry = backend.get("/v1/audit?action=feedback.status").json().at("items").at(0);
        CHECK(text(entry, "actor") == ada);
        CHECK(text(entry.at("after"), "status") == "open");
        events += 2;
        REQUIRE(testing::eventually([&] { return receiver.received().size() == events; }));
    }
    require(200, backend.patch(t.path, R"({"status":"in-progress"})"));
    t.reply(t.user);
    CHECK(text(t.user.get(t.path).json(), "status") == "in-progress");

    require(200, backend.patch("/v1/settings", R"({"reopenOnReply":false})"));
    require(200, backend.patch(t.path, R"({"status":"closed"})"));
    t.reply(t.user);
    CHECK(text(t.user.get(t.path).json(), "status") == "closed");
}

TEST_CASE("a reply has at most 100 edits", "[feedback]")
{
    World world;
    Thread t(world);
    auto backend = world.as_backend();
    auto const path = t.reply(backend);
    for (int i = 0; i < 100; ++i)
        REQUIRE(edit(backend, path, std::to_string(i)).status == 200);
    CHECK(edit(backend, path, "one more").status == 409);
    CHECK(text(all_items(backend, t.path + "/replies").at(0), "body") == "99");
    CHECK(all_items(backend, path + "/history", 7).size() == 100);
    CHECK(backend.del(path).status == 200);
    CHECK(world.postgres.query("SELECT count(*) FROM reply_edits") == "0");
}

TEST_CASE("concurrent edits and deletions of replies keep the counters right", "[feedback]")
{
    World world;
    Thread t(world);
    auto backend = world.as_backend();
    std::vector<std::string> paths;
    for (int i = 0; i < 32; ++i)
        paths.push_back(t.reply(backend, "before", i % 2 == 1));
    std::atomic<int> edited = 0, deleted = 0, others = 0;
    std::vector<std::thread> threads;
    for (int n = 0; n < 64; ++n) {
        threads.emplace_back([&, n] {
            auto client = world.as_backend();
            auto const& path = paths[static_cast<std::size_t>(n % 32)];
            auto const status =
                n % 4 < 2 ? client.del(path).status : edit(client, path, "by " + std::to_string(n)).status;
            if (status == 200)
                ++(n % 4 < 2 ? deleted : edited);
            else if (status != 404)
                ++others;
        });
    }
    for (auto& thread : threads)
        thread.join();
    CHECK(others == 0);
    CHECK(deleted == 16); // two callers delete each of these replies
    CHECK(edited == 32);
    CHECK(miscounted(world.postgres) == "0");
    CHECK(backend.get(t.path).json().at("replyCount") == 16);
    CHECK(t.user.get(t.path).json().at("replyCount") == 8);
    CHECK(world.postgres.query("SELECT count(*) FROM reply_edits") == "32");
}

TEST_CASE("64 concurrent edits of a reply keep each body once", "[feedback]")
{
    World world;
    Thread t(world);
    auto backend = world.as_backend();
    auto const path = t.reply(backend, "before");
    std::vector<std::thread> threads;
    std::atomic<int> failures = 0;
    for (int n = 0; n < 64; ++n) {
        threads.emplace_back([&, n] {
            auto client = world.as_backend();
            if (edit(client, path, std::to_string(n)).status != 200) ++failures;
        });
    }
    for (auto& thread : threads)
        thread.join();
    CHECK(failures == 0);
    std::set<std::string> bodies{text(all_items(backend, t.path + "/replies").at(0), "body")};
    for (auto const& item : all_items(backend, path + "/history"))
        bodies.insert(text(item, "body"));
    CHECK(bodies.size() == 65);
    CHECK(t.user.get(t.path).json().at("version") == 65);
}
