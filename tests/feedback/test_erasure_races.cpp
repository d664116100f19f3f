#include "support/eventually.hpp"
#include "support/json.hpp"
#include "support/user_markers.hpp"
#include "user_world.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <array>
#include <future>
#include <thread>

using namespace std::chrono_literals;
using testing::find_marker, testing::text;

// The account of `eve` is deleted (POST /v1/erasures) while requests of hers, and of others about her, run.

namespace {

using Places = std::vector<testing::MarkedPlace>;

unsigned delete_account(UserWorld const& world)
{
    return world.with(world.erasure_token(eve)).post("/v1/erasures", "").status;
}

/// Moves the time to the second erasure, and waits until it is complete.
bool sweep(UserWorld& world)
{
    world.clock.advance(17min);
    return testing::eventually(
        [&] { return world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'users.sweep'") == "0"; });
}

Places marked(UserWorld const& world)
{
    auto places = find_marker(world.postgres, marker);
    std::ranges::copy(find_marker(world.postgres, words), std::back_inserter(places));
    return places;
}

bool nothing_is_left(UserWorld const& world)
{
    return testing::eventually([&] {
        return marked(world).empty() && testing::find_marked_files(world.blobs(), marker).empty() &&
               find_marker(world.redis, marker).empty();
    });
}

} // namespace

TEST_CASE("the erasure of a deleted account leaves nothing of the user")
{
    UserWorld world;
    testing::Receiver const receiver(echo());
    plant(world, receiver);
    REQUIRE(delete_account(world) == 200);
    CHECK(nothing_is_left(world));
    auto user = world.as_eve(), staff = world.as_eve("owner");
    CHECK(
        testing::eventually([&] { return testing::error_of(user.get("/v1/feedbacks")) == "UNAUTHORIZED"; }));
    CHECK(testing::error_of(staff.get("/v1/feedbacks")) == "UNAUTHORIZED");
    CHECK(delete_account(world) == 200);

    REQUIRE(sweep(world));
    CHECK(nothing_is_left(world));
    CHECK(world.postgres.query("SELECT count(*) FROM erased_users WHERE sealed_user_id IS NULL") == "1");
    auto backend = world.as_backend();
    auto const log = testing::all_items(backend, "/v1/audit?action=user.erased");
    REQUIRE(log.size() == 1);
    CHECK(text(log.front(), "actor") == "system:erasures");
}

TEST_CASE("every replica refuses the tokens of a deleted account until the last one has expired")
{
    UserWorld world;
    auto const replica = world.replica(world.clock);
    auto const status_at = [&](service::Host const& host) {
        testing::HttpClient client("http://127.0.0.1:" + std::to_string(host.port()));
        client.set("Host", "demo-sandbox.feedback.localhost");
        client.set("Authorization",
            "Bearer " + world.issuer.token({.subject = eve, .email = eve_email, .role = "admin"}));
        return client.get("/v1/feedbacks").status;
    };
    CHECK(status_at(*world.host) == 200);
    CHECK(status_at(*replica) == 200);
    REQUIRE(delete_account(world) == 200);
    CHECK(testing::eventually([&] { return status_at(*world.host) == 401; }));
    CHECK(testing::eventually([&] { return status_at(*replica) == 401; }));
    world.clock.advance(15min);
    CHECK(status_at(*world.host) == 401);
    CHECK(status_at(*replica) == 401);
    world.clock.advance(1min);
    CHECK(status_at(*world.host) == 200);
    CHECK(status_at(*replica) == 200);
    CHECK(world.as_user(testing::bob).get("/v1/feedbacks").status == 200);
}

TEST_CASE("a request that runs during the erasure is erased by the second one")
{
    UserWorld world;
    auto bob = world.as_user(testing::bob);
    auto const thread = thread_of(bob, "Bob's");
    std::future<unsigned> late;
    {
        pqxx::connection connection(world.postgres.superuser_url());
        pqxx::work lock(connection);
        lock.exec("SELECT FROM feedbacks FOR UPDATE");
        late = std::async(std::launch::async, [thread, client = world.as_eve("admin")]() mutable {
            return client
                .post("/v1/feedbacks/" + thread + "/replies", testing::body({{"body", words}}),
                    {{"Idempotency-Key", "late"}})
                .status;
        });
        auto const waits = [&] {
            return world.postgres.query(
                       "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                       "AND wait_event_type = 'Lock'") == "1";
        };
        REQUIRE(testing::eventually(waits));
        CHECK(delete_account(world) == 200);
    }
    CHECK(late.get() == 201);
    CHECK(bob.get("/v1/feedbacks/" + thread).json().at("replyCount") == 1);
    REQUIRE(sweep(world));
    CHECK(nothing_is_left(world));
    CHECK(world.as_backend().get("/v1/feedbacks/" + thread).json().at("replyCount") == 0);
}

TEST_CASE("after the second erasure nothing is left of requests that ran during the first one")
{
    UserWorld world;
    auto bob = world.as_user(testing::bob);
    auto const bobs = thread_of(bob, "Bob's");
    std::array<std::string, 2> own;
    for (auto& thread : own) {
        auto user = world.as_eve();
        thread = thread_of(user, words);
    }
    std::atomic<int> written = 0, refused = 0;
    std::atomic<bool> stop = false;
    auto const run = [&](std::function<unsigned(int)> const& call) {
        return std::async(std::launch::async, [&, call] {
            for (int n = 0; !stop; ++n) {
                unsigned const status = call(n);
                if (status < 300) ++written;
                if (status == 401) ++refused;
                if (status >= 500) throw std::runtime_error("status " + std::to_string(status));
            }
        });
    };
    auto const text_body = testing::body({{"body", words}});
    std::vector<std::future<void>> writers;
    writers.push_back(run([&, client = std::make_shared<testing::HttpClient>(world.as_eve())](int n) {
        return client
            ->post("/v1/feedbacks", testing::body({{"category", "bug"}, {"title", words}, {"body", words}}),
                {{"Idempotency-Key", std::to_string(n)}})
            .status;
    }));
    writers.push_back(run([&, client = std::make_shared<testing::HttpClient>(world.as_eve("admin"))](int n) {
        auto const presigned = client->post("/v1/attachments/presign",
            testing::body(
                {{"filename", std::string(marker)}, {"contentType", "text/plain"}, {"sizeBytes", 9}}));
        if (presigned.status != 201) return presigned.status;
        auto const url = text(presigned.json(), "uploadUrl");
        client->put(url.substr(url.find("/uploads/")), marker, {{"Content-Type", "text/plain"}});
        return client
            ->post("/v1/feedbacks/" + (n % 2 == 0 ? bobs : own[0]) + "/replies",
                testing::body({{"body", words}, {"internal", n % 3 == 0},
                    {"attachmentIds", boost::json::array{text(presigned.json(), "attachmentId")}}}))
            .status;
    }));
    writers.push_back(run([&, client = std::make_shared<testing::HttpClient>(world.as_backend())](int n) {
        return client->post("/v1/feedbacks/" + own[static_cast<std::size_t>(n % 2)] + "/replies", text_body)
            .status;
    }));
    REQUIRE(testing::eventually([&] { return written > 30; }));
    CHECK(delete_account(world) == 200);
    CHECK(testing::eventually([&] { return refused > 10; }));
    stop = true;
    for (auto& writer : writers)
        CHECK_NOTHROW(writer.get());

    REQUIRE(sweep(world));
    CHECK(nothing_is_left(world));
    CHECK(world.postgres.query(R"(
        SELECT count(*)
        FROM feedbacks f
        WHERE (reply_count, public_reply_count) <> (
            SELECT count(*), count(*) FILTER (WHERE NOT internal)
            FROM replies r
            WHERE r.scope_id = f.scope_id AND r.feedback_id = f.feedback_id))") == "0");
    CHECK(world.postgres.query("SELECT count(*) FROM attachments") == "0");
}

TEST_CASE("concurrent erasures of users who replied to the same threads do not disturb each other")
{
    UserWorld world;
    auto backend = world.as_backend();
    std::vector<std::string> threads;
    for (int i = 0; i < 20; ++i)
        threads.push_back(thread_of(backend, "Shared"));
    std::vector<std::string> const users{"u1", "u2", "u3", "u4"};
    for (auto const& user : users) {
        auto staff = world.as_user(user, "admin");
        for (auto const& thread : threads)
            reply_to(staff, thread, "Hello", {upload(staff, "a.txt", "a")});
    }
    std::vector<std::future<unsigned>> erasures;
    for (auto const& user : users)
        erasures.push_back(std::async(std::launch::async, [&world, user] {
            auto client = world.as_backend();
            unsigned status = 429; // only some erasures run at the same time
            while (status == 429)
                status = client.del("/v1/users/" + user).status;
            return status;
        }));
    for (auto& erasure : erasures)
        CHECK(erasure.get() == 200);
    CHECK(world.postgres.query("SELECT count(*) FROM replies") == "0");
    CHECK(world.postgres.query("SELECT sum(reply_count) FROM feedbacks") == "0");
}
