#include "support/eventually.hpp"
#include "support/json.hpp"
#include "support/scope_rows.hpp"
#include "support/user_markers.hpp"
#include "user_world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using testing::find_marker, testing::text;

namespace {

using Places = std::vector<testing::MarkedPlace>;
using Names = std::vector<std::string>;

/// The columns that contain nothing of a user, in addition to those of the libraries.
std::set<std::string> columns_without_users()
{
    auto columns = testing::library_columns_without_users();
    columns.insert({
        "attachments.content_type", // one of a list
        "attachments.parent_type",
        "attachments.state",
        "attachments.version", // random
        "audit_log.after",     // settings of the tenant, and statuses of threads
        "audit_log.before",
        "audit_log.subject_id", // ids of threads, webhooks and keys
        "feedbacks.attachment_ids",
        "feedbacks.author_role",
        "feedbacks.category",
        "feedbacks.priority",
        "feedbacks.search", // written by a previous version only
        "feedbacks.status",
        "feedbacks.visibility",
        "logos.content", // the tenant's
        "logos.content_type",
        "logos.sha256",
        "mail_fan_outs.after_user", // only during a fan-out; test_mail.cpp tests it
        "mail_keys.sealed",         // random
        "replies.attachment_ids",
        "replies.author_role",
        "status_moves.actor_role",
        "status_moves.from_status",
        "scope_opt_outs.address_hash", // keyed hashes, which outlive the erasure; test_unsubscribe.cpp tests
                                       // it
        "status_moves.to_status",
        "thread_opt_outs.address_hash",
    });
    return columns;
}

/// The places of both markers.
Places marked(UserWorld const& world)
{
    auto places = find_marker(world.postgres, marker);
    std::ranges::copy(find_marker(world.postgres, words), std::back_inserter(places));
    return places;
}

bool no_marked_files(UserWorld const& world)
{
    return testing::eventually([&] { return testing::find_marked_files(world.blobs(), marker).empty(); });
}

/// The number of ids of attachments in threads and replies that have no row, and of attached attachments that
/// no thread or reply names.
std::string dangling(UserWorld const& world)
{
    return world.postgres.query(R"(
        WITH named AS (
            SELECT scope_id, unnest(attachment_ids) AS id FROM feedbacks
            UNION ALL
            SELECT scope_id, unnest(attachment_ids) FROM replies
        )
        SELECT (SELECT count(*) FROM named n WHERE NOT EXISTS (
                    SELECT FROM attachments a WHERE a.scope_id = n.scope_id AND a.attachment_id = n.id))
             + (SELECT count(*) FROM attachments a WHERE a.state = 'attached' AND NOT EXISTS (
                    SELECT FROM named n WHERE a.scope_id = n.scope_id AND a.attachment_id = n.id)))");
}

} // namespace

TEST_CASE("the test of the erasure writes a marker into every column that a user can fill")
{
    UserWorld world;
    testing::Receiver const receiver(echo());
    plant(world, receiver);
    testing::require_every_column_known(world.postgres, marked(world), columns_without_users());
    CHECK_FALSE(find_marker(world.redis, marker).empty());
    CHECK(testing::find_marked_files(world.blobs(), marker).size() == 4);
}

TEST_CASE("an erasure leaves nothing of the user in tables, files and Redis")
{
    UserWorld world;
    testing::Receiver const receiver(echo());
    auto const planted = plant(world, receiver);
    erase(world, eve);
    CHECK(marked(world) == Places());
    CHECK(find_marker(world.redis, marker) == Names());
    CHECK(no_marked_files(world));
    CHECK(dangling(world) == "0");
    CHECK(miscounted(world.postgres) == "0");

    auto backend = world.as_backend();
    CHECK(backend.get("/v1/feedbacks/" + planted.own).status == 404);
    CHECK(backend.get("/v1/feedbacks/" + planted.deleted).status == 404);
    auto const bobs = backend.get("/v1/feedbacks/" + planted.bobs).json();
    CHECK(bobs.at("assigneeId").is_null());
    CHECK(bobs.at("assigneeEmail").is_null());
    CHECK(backend.get("/v1/users/" + eve + "/export").body.empty());
    erase(world, eve);
    erase(world, "nobody");
}

TEST_CASE("an anonymising erasure keeps only the texts of threads and replies")
{
    UserWorld world;
    testing::Receiver const receiver(echo());
    auto const planted = plant(world, receiver);
    auto backend = world.as_backend();
    auto const before = backend.get("/v1/feedbacks/" + planted.own).json();
    erase(world, eve, "?mode=anonymize");
    CHECK(find_marker(world.postgres, marker) == Places());
    CHECK(find_marker(world.postgres, words) == Places{{"feedbacks", "body"}, {"feedbacks", "tags"},
                                                    {"feedbacks", "title"}, {"replies", "body"},
                                                    {"search_documents", "terms"}});
    CHECK(find_marker(world.redis, marker) == Names());
    CHECK(no_marked_files(world));
    CHECK(dangling(world) == "0");
    CHECK(miscounted(world.postgres) == "0");

    auto const after = backend.get("/v1/feedbacks/" + planted.own).json();
    auto const pseudonym = text(after, "userId");
    CHECK(pseudonym.starts_with("deleted:"));
    CHECK(core::Uuid::parse(pseudonym.substr(8)));
    CHECK(after.at("userEmail").is_null());
    CHECK(after.at("appContext").is_null());
    CHECK(after.at("attachmentIds").as_array().empty());
    CHECK(after.at("title") == words);
    CHECK(after.at("replyCount") == before.at("replyCount"));
    CHECK(after.at("version").as_int64() > before.at("version").as_int64());
    CHECK(text(backend.get("/v1/feedbacks/" + planted.deleted).json(), "userId") == pseudonym);
    for (auto const& thread : {planted.own, planted.bobs})
        for (auto const& reply : testing::all_items(backend, "/v1/feedbacks/" + thread + "/replies")) {
            auto const author = text(reply, "authorId");
            CHECK((author == pseudonym || author.starts_with("key:")));
            CHECK(reply.at("attachmentIds").as_array().empty());
        }
    auto const history = testing::all_items(backend, "/v1/feedbacks/" + planted.bobs + "/history");
    CHECK(text(history.front(), "actorId") == pseudonym);
    CHECK(text(testing::all_items(backend, "/v1/feedbacks/" + planted.own + "/history").front(), "actorId") ==
          pseudonym);
    CHECK(world.as_eve().get("/v1/feedbacks/" + planted.own).status == 404);
    erase(world, eve, "?mode=anonymize");
    CHECK(text(backend.get("/v1/feedbacks/" + planted.own).json(), "userId") == pseudonym);
}

TEST_CASE("a user notices that the author of a public reply was anonymised, and not that of an internal note")
{
    UserWorld world;
    auto bob = world.as_user(testing::bob), staff = world.as_eve("admin");
    auto const with_reply = thread_of(bob, "Bob's"), with_note = thread_of(bob, "Bob's");
    for (int i = 0; i < 2; ++i)
        reply_to(staff, with_reply, words);
    reply_to(staff, with_note, words, {}, true);
    auto const reply_before = bob.get("/v1/feedbacks/" + with_reply);
    auto const note_before = bob.get("/v1/feedbacks/" + with_note);
    erase(world, eve, "?mode=anonymize");
    auto const after = bob.get("/v1/feedbacks/" + with_reply);
    CHECK(after.header("etag") != reply_before.header("etag"));
    CHECK(after.json().at("version").as_int64() == reply_before.json().at("version").as_int64() + 1);
    CHECK(after.json().at("replyCount") == 2);
    CHECK(text(after.json(), "updatedAt") > text(reply_before.json(), "updatedAt"));
    CHECK(bob.get("/v1/feedbacks/" + with_note).body == note_before.body);
    CHECK(find_marker(world.postgres, marker) == Places());
}

TEST_CASE("an erasure does not fail if the counter of requests cannot be deleted")
{
    UserWorld world;
    auto user = world.as_eve();
    thread_of(user, words);
    world.redis.ask({"ACL", "SETUSER", "default", "-unlink"});
    erase(world, eve);
    CHECK(find_marker(world.postgres, marker) == Places());
    auto const keys = find_marker(world.redis, marker);
    REQUIRE(keys.size() == 1);
    CHECK(std::stol(world.redis.ask({"PTTL", keys.front()})) <= 60'001); // it ends by itself
}

TEST_CASE("an erasure is recorded under the pseudonym, also if the user erases itself")
{
    UserWorld world;
    auto const last = [&] {
        return testing::all_items(*std::make_unique<testing::HttpClient>(world.as_backend()), "/v1/audit")
            .front()
            .as_object();
    };
    erase(world, eve);
    auto entry = last();
    CHECK(entry.at("action") == "user.erased");
    CHECK(text(entry, "actor").starts_with("key:fbk_"));
    CHECK(text(entry, "subjectId").starts_with("deleted:"));
    CHECK(text(entry.at("after"), "mode") == "delete");

    auto staff = world.as_eve("admin");
    REQUIRE(staff.del("/v1/users/" + eve + "?mode=anonymize").status == 200);
    entry = last();
    CHECK(text(entry, "actor") == text(entry, "subjectId"));
    CHECK(text(entry.at("after"), "mode") == "anonymize");
    CHECK(find_marker(world.postgres, marker) == Places());
}

TEST_CASE("an erasure processes one environment of one tenant")
{
    UserWorld world;
    auto const homes = {"demo", "other-sandbox"};
    std::string before;
    for (auto const* home : homes) {
        auto user = world.with(world.token(eve, "user", home), home);
        auto const thread = thread_of(user, words, {upload(user, std::string(marker) + ".txt", marker)});
        reply_to(user, thread, words);
        before += testing::rows_of_scope(world.postgres, world.scope_id(home), testing::what_callers_do());
    }
    auto user = world.as_eve();
    thread_of(user, words);
    erase(world, eve);
    std::string after;
    for (auto const* home : homes)
        after += testing::rows_of_scope(world.postgres, world.scope_id(home), testing::what_callers_do());
    CHECK(after == before);
    CHECK(world.postgres.query("SELECT count(*) FROM feedbacks") == "2");
    CHECK(testing::find_marked_files(world.blobs(), marker).size() == 2);
}

TEST_CASE("the user's replies to other threads are deleted, and the counters of the threads fall")
{
    UserWorld world;
    auto bob = world.as_user(testing::bob), staff = world.as_eve("admin"), backend = world.as_backend();
    auto const thread = thread_of(bob, "Bob's");
    auto const path = "/v1/feedbacks/" + thread;
    reply_to(bob, thread, "first");
    reply_to(staff, thread, words);
    reply_to(staff, thread, words, {}, true);
    reply_to(staff, thread, words);
    auto const seen_by_bob = bob.get(path), seen_by_staff = backend.get(path);
    erase(world, eve);

    auto const now = bob.get(path);
    CHECK(now.json().at("replyCount") == 1);
    CHECK(now.json().at("lastReplyAt") == seen_by_bob.json().at("lastReplyAt"));
    CHECK(now.json().at("version").as_int64() == seen_by_bob.json().at("version").as_int64() + 1);
    CHECK(text(now.json(), "updatedAt") > text(seen_by_bob.json(), "updatedAt"));
    CHECK(now.header("etag") != seen_by_bob.header("etag"));
    CHECK(backend.get(path).json().at("replyCount") == 1);
    CHECK(backend.get(path).json().at("lastReplyAt") == seen_by_staff.json().at("lastReplyAt"));
    auto const left = testing::all_items(bob, path + "/replies");
    REQUIRE(left.size() == 1);
    CHECK(text(left.front(), "body") == "first");
}

TEST_CASE("the erasure of a user with the id of a key changes nothing of the key")
{
    UserWorld world;
    auto bob = world.as_user(testing::bob), backend = world.as_backend(), master = world.as_master();
    auto const thread = thread_of(bob, "Bob's");
    reply_to(backend, thread, "of the key");
    reply_to(master, thread, "of the operator");
    REQUIRE(backend.patch("/v1/feedbacks/" + thread, R"({"status":"in-progress"})").status == 200);
    auto const authors = [&] {
        return world.postgres.query(R"(
            SELECT string_agg(id, ' ' ORDER BY id)
            FROM (
                SELECT author_id FROM replies
                UNION ALL
                SELECT actor_id FROM status_moves
                UNION ALL
                SELECT actor FROM audit_log WHERE action = 'feedback.status'
            ) AS a(id))");
    };
    auto const before = authors();
    auto const key = world.postgres.query("SELECT actor_id FROM status_moves");
    CHECK(before == key + ' ' + key + ' ' + key + " master");
    for (auto const& id : {key, std::string("master")})
        for (auto const* mode : {"", "?mode=anonymize"}) {
            erase(world, id, mode);
            CHECK(authors() == before);
            CHECK(backend.get("/v1/users/" + id + "/export").body.empty());
        }
}

TEST_CASE("a user does not notice the erasure of internal notes")
{
    UserWorld world;
    auto bob = world.as_user(testing::bob), staff = world.as_eve("admin");
    auto const thread = thread_of(bob, "Bob's");
    reply_to(bob, thread, "first");
    reply_to(staff, thread, words, {}, true);
    auto const before = bob.get("/v1/feedbacks/" + thread);
    erase(world, eve);
    auto const after = bob.get("/v1/feedbacks/" + thread);
    CHECK(after.body == before.body);
    CHECK(after.header("etag") == before.header("etag"));
    CHECK(world.as_backend().get("/v1/feedbacks/" + thread).json().at("replyCount") == 1);
}

TEST_CASE("attachments of other callers stay, except in threads and replies that are deleted")
{
    UserWorld world;
    auto user = world.as_eve(), staff = world.as_eve("admin"), backend = world.as_backend();
    auto bob = world.as_user(testing::bob);
    auto const own = thread_of(user, words);
    auto const in_own = upload(backend, "a.txt", "of staff"), in_reply = upload(backend, "a.txt", "of staff");
    auto const kept = upload(backend, "a.txt", "of staff"), bobs_file = upload(bob, "a.txt", "of bob");
    auto const eves = upload(user, "a.txt", marker);
    reply_to(backend, own, "Look at this.", {in_own});
    auto const thread = thread_of(bob, "Bob's", {bobs_file});
    reply_to(staff, thread, words, {in_reply});
    auto const reply = reply_to(backend, thread, "See both files.", {kept, eves});
    erase(world, eve);

    for (auto const& id : {in_own, in_reply, eves})
        CHECK(backend.get("/v1/attachments/" + id).status == 404);
    for (auto const& id : {kept, bobs_file})
        CHECK(bob.get("/v1/attachments/" + id).status == 200);
    auto const replies = testing::all_items(bob, "/v1/feedbacks/" + thread + "/replies");
    REQUIRE(replies.size() == 1);
    CHECK(text(replies.front(), "replyId") == reply);
    CHECK(replies.front().at("attachmentIds") == boost::json::array{kept});
    CHECK(dangling(world) == "0");
    CHECK(testing::eventually(
        [&] { return testing::find_marked_files(world.blobs(), "of staff").size() == 1; }));
}

TEST_CASE("an erasure keeps the order of the attachments that stay")
{
    UserWorld world;
    auto user = world.as_eve(), backend = world.as_backend();
    auto const a = upload(backend, "a.txt", "a"), b = upload(user, "b.txt", marker),
               c = upload(backend, "c.txt", "c");
    auto const thread = thread_of(backend, "Three files", {c, b, a});
    auto const before = backend.get("/v1/feedbacks/" + thread).json();
    erase(world, eve, "?mode=anonymize");
    auto const after = backend.get("/v1/feedbacks/" + thread).json();
    CHECK(after.at("attachmentIds") == boost::json::array{c, a});
    CHECK(after.at("version").as_int64() == before.at("version").as_int64() + 1);
}

TEST_CASE("an upload URL of an erased user accepts no bytes")
{
    UserWorld world;
    auto user = world.as_eve();
    auto const presigned = user.post("/v1/attachments/presign",
        testing::body({{"filename", "a.txt"}, {"contentType", "text/plain"}, {"sizeBytes", 9}}));
    auto const url = text(presigned.json(), "uploadUrl");
    erase(world, eve);
    auto const path = url.substr(url.find("/uploads/"));
    CHECK(user.put(path, marker, {{"Content-Type", "text/plain"}}).status == 404);
    CHECK(testing::find_marked_files(world.blobs(), marker) == Names());
}

TEST_CASE("more rows than a step processes are erased")
{
    UserWorld world;
    auto user = world.as_eve();
    auto const thread = thread_of(user, words);
    world.postgres.query(R"(
        INSERT INTO feedbacks (scope_id, feedback_id, created_at, updated_at, status, category, title, body, author_id,
                               author_role, user_id)
        SELECT scope_id, gen_random_uuid(), created_at, updated_at, status, category, title, body, author_id,
               author_role, user_id
        FROM feedbacks, generate_series(1, 1200);
        INSERT INTO replies (scope_id, feedback_id, reply_id, created_at, body, author_id, author_role)
        SELECT scope_id, feedback_id, gen_random_uuid(), created_at, body, author_id, 'user'
        FROM feedbacks, generate_series(1, 2);
        INSERT INTO search_documents (scope_id, feedback_id, document_id, created_at, terms)
        SELECT f.scope_id, f.feedback_id, f.feedback_id, f.created_at, d.terms
        FROM feedbacks f, search_documents d
        ON CONFLICT DO NOTHING;
        UPDATE feedbacks SET reply_count = 2, public_reply_count = 2;
        UPDATE feedbacks SET user_id = 'bob', author_id = 'bob', user_email = NULL
        WHERE feedback_id IN (SELECT feedback_id FROM feedbacks LIMIT 600))");
    SECTION("deleting")
    {
        erase(world, eve);
        CHECK(marked(world) ==
              Places{{"feedbacks", "body"}, {"feedbacks", "title"}, {"search_documents", "terms"}});
        CHECK(world.postgres.query("SELECT count(*) FROM search_documents") == "600");
        CHECK(world.postgres.query("SELECT count(*) FROM feedbacks") == "600");
        CHECK(world.postgres.query("SELECT count(*) FROM replies") == "0");
    }
    SECTION("anonymising")
    {
        erase(world, eve, "?mode=anonymize");
        CHECK(find_marker(world.postgres, marker) == Places());
        CHECK(world.postgres.query("SELECT count(*) FROM replies") == "2402");
    }
    CHECK(miscounted(world.postgres) == "0");
}

TEST_CASE("a wrong mode and a user id that is too long are refused")
{
    UserWorld world;
    auto backend = world.as_backend();
    CHECK(testing::faults_of(backend.del("/v1/users/" + eve + "?mode=hide")) == "?mode not_allowed");
    CHECK(testing::faults_of(backend.del("/v1/users/" + std::string(256, 'a'))) == ":userId too_long");
    CHECK(testing::faults_of(backend.get("/v1/users/" + std::string(256, 'a') + "/export")) ==
          ":userId too_long");
    CHECK(backend.del("/v1/users/" + std::string(255, 'a')).status == 200);
    CHECK(backend.del("/v1/users/" + eve + "?mode=delete").status == 200);
}

TEST_CASE("an erasure also deletes the stored response to a creation on behalf of the user")
{
    UserWorld world;
    auto backend = world.as_backend();
    auto const create = [&] {
        return backend.post("/v1/feedbacks",
            testing::body({{"category", "bug"}, {"title", "T"}, {"body", "B"}, {"userId", eve},
                {"userEmail", "eve@example.com"}}),
            {{"Idempotency-Key", "on-behalf"}});
    };
    REQUIRE(create().status == 201);
    REQUIRE(create().header("idempotent-replayed") == "true");
    erase(world, eve);
    CHECK(create().header("idempotent-replayed").empty());
}
