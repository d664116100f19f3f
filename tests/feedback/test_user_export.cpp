#include "support/json.hpp"
#include "user_world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using testing::text;

namespace {

std::vector<std::string> types_of(boost::json::array const& lines)
{
    std::vector<std::string> types;
    for (auto const& line : lines)
        types.push_back(text(line, "type"));
    return types;
}

std::string const path = "/v1/users/" + eve + "/export";

} // namespace

TEST_CASE("an export contains the user's threads, replies and attachments as the API shows them")
{
    UserWorld world;
    testing::Receiver const receiver(echo());
    auto const planted = plant(world, receiver);
    auto user = world.as_eve(), backend = world.as_backend();
    auto const response = user.get(path);
    REQUIRE(response.status == 200);
    CHECK(response.header("content-type") == "application/x-ndjson");
    CHECK(response.header("cache-control") == "no-store");
    CHECK(response.body.starts_with(R"({"type":"feedback",)"));
    auto const lines = lines_of(response);
    CHECK(types_of(lines) == std::vector<std::string>{"feedback", "feedback", "reply", "reply", "reply",
                                 "reply", "vote", "attachment", "attachment", "attachment", "attachment",
                                 "attachment"});

    auto newest = lines.at(0).as_object(), oldest = lines.at(1).as_object();
    newest.erase("type");
    oldest.erase("type");
    CHECK(newest == user.get("/v1/feedbacks/" + planted.deleted).json());
    CHECK(oldest == user.get("/v1/feedbacks/" + planted.own).json());
    std::set<bool> internal;
    for (auto const& line : lines) {
        if (line.as_object().contains("previous")) {
            CHECK(line.at("type") == "reply");
            CHECK(text(line, "body") == words + std::string(" before"));
        } else if (line.at("type") == "reply") {
            CHECK(line.at("body") == words);
            CHECK(text(line, "authorId") == eve);
            internal.insert(line.at("internal").as_bool());
        } else if (line.at("type") == "attachment") {
            auto object = line.as_object();
            object.erase("type");
            auto shown = user.get("/v1/attachments/" + text(line, "attachmentId")).json().as_object();
            shown.erase("downloadUrl");
            shown.erase("expiresAt");
            CHECK(object == shown);
        }
    }
    CHECK(internal == std::set<bool>{false, true});
    CHECK(backend.get(path).body == response.body);
}

TEST_CASE("staff may export the data of every user, and users only their own")
{
    UserWorld world;
    auto user = world.as_eve();
    thread_of(user, words);
    std::vector<testing::HttpClient> allowed;
    allowed.push_back(world.as_backend());
    allowed.push_back(world.as_master());
    allowed.push_back(world.as_user(testing::bob, "admin"));
    allowed.push_back(world.as_user(testing::bob, "owner"));
    allowed.push_back(world.as_eve());
    for (auto& client : allowed)
        CHECK(lines_of(client.get(path)).size() == 1);
    auto bob = world.as_user(testing::bob);
    auto const refused = bob.get(path), never = bob.get("/v1/users/nobody/export");
    CHECK(refused.status == 404);
    CHECK(testing::without_request_id(refused) == testing::without_request_id(never));
    CHECK(world.as_backend("demo").get(path).body.empty());
    CHECK(world.as_backend().get("/v1/users/nobody/export").body.empty());
}

TEST_CASE("an export of many pages contains each line once")
{
    UserWorld world;
    auto user = world.as_eve();
    auto const thread = thread_of(user, words);
    reply_to(user, thread, words);
    upload(user, "a.txt", marker);
    world.postgres.query(R"(
        INSERT INTO feedbacks (scope_id, feedback_id, created_at, updated_at, status, category, title, body, author_id,
                               author_role, user_id)
        SELECT scope_id, gen_random_uuid(), created_at + n % 7 * interval '1 s', updated_at, status, category, title,
               body, author_id, author_role, user_id
        FROM feedbacks, generate_series(1, 149) n;
        INSERT INTO replies (scope_id, feedback_id, reply_id, created_at, body, author_id, author_role)
        SELECT scope_id, feedback_id, gen_random_uuid(), created_at, body, author_id, author_role
        FROM replies, generate_series(1, 120);
        INSERT INTO attachments (scope_id, attachment_id, owner, filename, content_type, size_bytes, created_at)
        SELECT scope_id, gen_random_uuid(), owner, filename, content_type, size_bytes, created_at
        FROM attachments, generate_series(1, 100))");
    std::set<std::string> ids;
    auto const lines = lines_of(user.get(path));
    for (auto const& line : lines)
        for (auto const* name : {"replyId", "attachmentId", "feedbackId"})
            if (line.as_object().contains(name)) {
                ids.insert(text(line, name));
                break;
            }
    CHECK(lines.size() == 150 + 121 + 101);
    CHECK(ids.size() == lines.size());
}
