#include "user_world.hpp"

#include "support/eventually.hpp"
#include "support/json.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include <sstream>

namespace {

namespace json = boost::json;
using testing::require, testing::text;

json::array array_of(std::vector<std::string> const& texts)
{
    return json::array(texts.begin(), texts.end());
}

/// What eve writes and uploads as a user.
void plant_as_user(UserWorld& world, Planted& planted)
{
    auto user = world.as_eve();
    auto backend = world.as_backend();
    auto const file = upload(user, std::string(marker) + ".txt", marker);
    json::object const thread{{"category", "bug"}, {"title", words}, {"body", words},
        {"tags", json::array{words}}, {"attachmentIds", array_of({file})},
        {"appContext", {{"appName", marker}, {"appVersion", marker}, {"os", marker}, {"osVersion", marker}}}};
    auto const made = user.post("/v1/feedbacks", testing::body(thread), {{"Idempotency-Key", "thread"}});
    planted.own = text(require(201, made).json(), "feedbackId");
    auto const reply = reply_to(user, planted.own, words + std::string(" before"),
        {upload(user, std::string(marker) + ".txt", marker)});
    require(200,
        user.patch("/v1/feedbacks/" + planted.own + "/replies/" + reply, testing::body({{"body", words}})));
    // The answer to the backend is about eve.
    require(201, backend.post("/v1/feedbacks/" + planted.own + "/replies", testing::body({{"body", words}}),
                     {{"Idempotency-Key", "reply"}}));
    planted.deleted = thread_of(user, words);
    require(200, backend.del("/v1/feedbacks/" + planted.deleted));
    upload(user, std::string(marker) + ".txt", marker); // is never attached
    require(
        201, user.post("/v1/attachments/presign", testing::body({{"filename", std::string(marker) + ".txt"},
                                                      {"contentType", "text/plain"}, {"sizeBytes", 1}})));
}

/// What eve writes as a member of staff.
void plant_as_staff(UserWorld& world, Planted& planted)
{
    auto staff = world.as_eve("admin");
    auto bob = world.as_user(testing::bob);
    planted.bobs = thread_of(bob, "Bob's");
    planted.attached = upload(staff, std::string(marker) + ".txt", marker);
    reply_to(staff, planted.bobs, words, {planted.attached});
    reply_to(staff, planted.bobs, words, {}, true);
    auto const path = "/v1/feedbacks/" + planted.bobs;
    require(200, staff.patch(path, testing::body({{"status", "in-progress"}})));
    require(200, world.as_backend().patch("/v1/settings", testing::body({{"publicBoard", true}})));
    require(200, staff.patch(path, testing::body({{"visibility", "public"}})));
    require(200, staff.put(path + "/vote", ""));
    require(200,
        world.as_backend().patch(path, testing::body({{"assigneeId", eve}, {"assigneeEmail", eve_email}})));
}

} // namespace

UserWorld::UserWorld() : KeyedWorld(feedback::definition())
{
    begin({{"BLOB_DIR", blobs()}, {"EMAIL_OUTBOX", directory.path() + "/mails"}});
}

testing::HttpClient UserWorld::as_eve(std::string const& role) const
{
    auto client =
        with(issuer.token({.subject = eve, .email = eve_email, .role = role}, {{"email_verified", true}}));
    client.set("X-Request-Id", std::string("request-") + marker);
    return client;
}

std::string upload(testing::HttpClient& client, std::string const& filename, std::string const& content)
{
    auto const presigned =
        require(201, client.post("/v1/attachments/presign",
                         testing::body({{"filename", filename}, {"contentType", "text/plain"},
                             {"sizeBytes", static_cast<std::int64_t>(content.size())}})));
    auto const url = text(presigned.json(), "uploadUrl");
    require(200, client.put(url.substr(url.find("/uploads/")), content, {{"Content-Type", "text/plain"}}));
    return text(presigned.json(), "attachmentId");
}

std::string thread_of(
    testing::HttpClient& client, std::string const& title, std::vector<std::string> const& attachment_ids)
{
    json::object const thread{
        {"category", "bug"}, {"title", title}, {"body", title}, {"attachmentIds", array_of(attachment_ids)}};
    return text(require(201, client.post("/v1/feedbacks", testing::body(thread))).json(), "feedbackId");
}

std::string reply_to(testing::HttpClient& client, std::string const& thread, std::string const& text_,
    std::vector<std::string> const& attachment_ids, bool internal)
{
    json::object const reply{
        {"body", text_}, {"attachmentIds", array_of(attachment_ids)}, {"internal", internal}};
    auto const made = client.post("/v1/feedbacks/" + thread + "/replies", testing::body(reply));
    return text(require(201, made).json(), "replyId");
}

void erase(UserWorld const& world, std::string const& user_id, std::string const& query)
{
    auto const erased = world.as_backend().del("/v1/users/" + user_id + query);
    INFO(erased.body);
    REQUIRE(erased.status == 200);
    CHECK(erased.body == R"({"deleted":true})");
}

std::string miscounted(testing::Postgres const& postgres)
{
    return postgres.query(R"(
        SELECT count(*)
        FROM feedbacks f
        WHERE (reply_count, public_reply_count) <> (
            SELECT count(*), count(*) FILTER (WHERE NOT internal)
            FROM replies r
            WHERE r.scope_id = f.scope_id AND r.feedback_id = f.feedback_id)
            OR vote_count <> (
                SELECT count(*)
                FROM votes v
                WHERE v.scope_id = f.scope_id AND v.feedback_id = f.feedback_id))");
}

json::array lines_of(testing::HttpResponse const& response)
{
    json::array lines;
    std::istringstream in(response.body);
    for (std::string line; std::getline(in, line);)
        lines.push_back(json::parse(line));
    return lines;
}

Planted plant(UserWorld& world, testing::Receiver const& receiver)
{
    require(201, world.as_backend().post("/v1/webhooks", testing::body({{"url", receiver.url()}})));
    Planted planted;
    plant_as_user(world, planted);
    plant_as_staff(world, planted);
    auto const delivered = [&] {
        return world.postgres.query("SELECT count(*) FROM webhook_deliveries WHERE status <> 'delivered'") ==
               "0";
    };
    REQUIRE(testing::eventually(delivered));
    auto const has_got_mail = [&] {
        return world.postgres.query("SELECT count(*) FROM thread_mails WHERE recipient = '" + eve + "'") !=
               "0";
    };
    REQUIRE(testing::eventually(has_got_mail));
    return planted;
}

testing::Receiver::Answer echo()
{
    return [](testing::Received const& event) { return testing::reply(200, event.body); };
}
