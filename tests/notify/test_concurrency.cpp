#include "support/held_scope.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <future>
#include <mutex>
#include <set>
#include <thread>

namespace {

constexpr char const* path = "/v1/notifications/send";

std::string email(World const& world, bool later = true)
{
    boost::json::object fields{{"templateName", "mail"}, {"channel", "email"}, {"to", "ada@example.com"}};
    if (later) fields["sendAt"] = core::to_rfc3339(world.clock.now() + 24h);
    return body(fields);
}

/// The responses to `n` concurrent requests, each from a separate client.
std::vector<testing::HttpResponse> at_once(World const& world, int n,
    std::function<testing::HttpResponse(testing::HttpClient&, int number)> const& request)
{
    world.key(); // created before the threads
    std::barrier start(n);
    std::vector<testing::HttpResponse> answers(static_cast<std::size_t>(n));
    std::vector<std::thread> threads;
    for (int i = 0; i < n; ++i) {
        threads.emplace_back([&, i] {
            auto client = world.as_backend();
            start.arrive_and_wait();
            answers[static_cast<std::size_t>(i)] = request(client, i);
        });
    }
    for (auto& thread : threads)
        thread.join();
    return answers;
}

std::map<unsigned, int> statuses_of(std::vector<testing::HttpResponse> const& answers)
{
    std::map<unsigned, int> statuses;
    for (auto const& answer : answers)
        ++statuses[answer.status];
    return statuses;
}

std::string count(World const& world, std::string const& condition = "true")
{
    return world.postgres.query("SELECT count(*) FROM notifications WHERE " + condition);
}

std::vector<std::string> ids_of(testing::HttpClient& client, int limit)
{
    std::vector<std::string> ids;
    std::string cursor;
    while (cursor != "null") {
        auto const r = client.get(
            "/v1/notifications?limit=" + std::to_string(limit) + (cursor.empty() ? "" : "&cursor=" + cursor));
        REQUIRE(r.status == 200);
        auto const page = r.json();
        for (auto const& item : page.at("notifications").as_array())
            ids.push_back(text(item, "notificationId"));
        cursor = text(page, "nextCursor");
    }
    return ids;
}

} // namespace

TEST_CASE("of many concurrent sends exactly as many are accepted as the limit allows", "[notify]")
{
    World world({.limited = true});
    world.new_template("mail");
    auto const sent = email(world);
    // The requests use both ways to write: coalesced, and in a transaction of their own.
    auto const answers = at_once(world, 40, [&](testing::HttpClient& client, int i) {
        testing::HttpClient::Headers headers;
        if (i % 2 == 1) headers.emplace_back("Idempotency-Key", std::to_string(i));
        return client.post(path, sent, headers);
    });
    CHECK(statuses_of(answers) == std::map<unsigned, int>{{202, 10}, {429, 30}});
    CHECK(count(world) == "10");
}

TEST_CASE("concurrent sends with the same Idempotency-Key are accepted once and count once", "[notify]")
{
    World world({.limited = true});
    world.new_template("mail");
    auto const sent = email(world);
    std::set<std::string> ids;
    // The numbers are so small that all requests fit into the limit while they are in flight.
    constexpr int rounds = 6, repeats = 4;
    for (int round = 0; round < rounds; ++round) {
        auto const key = "round-" + std::to_string(round);
        auto const answers = at_once(world, repeats, [&](testing::HttpClient& client, int) {
            return client.post(path, sent, {{"Idempotency-Key", key}});
        });
        std::set<std::string> of_round;
        for (auto const& answer : answers) {
            INFO(answer.body);
            // 409: a request with the same key is in flight.
            CHECK((answer.status == 202 || answer.status == 409));
            if (answer.status == 202) of_round.insert(text(answer.json(), "notificationId"));
        }
        CHECK(of_round.size() == 1);
        ids.merge(of_round);
    }
    CHECK(ids.size() == rounds);
    CHECK(count(world) == std::to_string(rounds));
    // The repeated requests released their use of the limit.
    auto backend = world.as_backend();
    for (int i = rounds; i < 10; ++i)
        CHECK(backend.post(path, sent).status == 202);
    CHECK(backend.post(path, sent).status == 429);
}

TEST_CASE("paging through a growing list neither omits nor repeats an item", "[notify]")
{
    World world;
    world.new_template("mail");
    auto const sent = email(world);
    auto reader = world.as_backend();
    std::set<std::string> before;
    for (int i = 0; i < 40; ++i)
        before.insert(text(reader.post(path, sent).json(), "notificationId"));

    std::atomic<bool> done = false;
    std::vector<std::thread> writers;
    for (int i = 0; i < 4; ++i) {
        writers.emplace_back([&, i] {
            auto client = world.as_backend();
            for (int n = 0; !done; ++n) {
                testing::HttpClient::Headers headers;
                if (n % 2 == 1)
                    headers.emplace_back("Idempotency-Key", std::to_string(i) + "-" + std::to_string(n));
                client.post(path, sent, headers);
            }
        });
    }
    std::vector<std::string> seen; // the previous result, newest first
    for (int walk = 0; walk < 6; ++walk) {
        auto const ids = ids_of(reader, 9);
        std::set<std::string> const unique(ids.begin(), ids.end());
        CHECK(unique.size() == ids.size());
        CHECK(std::includes(unique.begin(), unique.end(), before.begin(), before.end()));
        // Items seen before are still in the list, and new items appear only in front of them.
        CHECK((ids.size() >= seen.size() && std::equal(seen.rbegin(), seen.rend(), ids.rbegin())));
        seen = ids;
    }
    done = true;
    for (auto& writer : writers)
        writer.join();
}

TEST_CASE("every accepted notification is sent once under concurrent load", "[notify]")
{
    World world;
    world.new_template("mail");
    auto const now = email(world, false);
    constexpr int senders = 8, each = 10;
    std::mutex mutex;
    std::set<std::string> ids;
    at_once(world, senders, [&](testing::HttpClient& client, int) {
        testing::HttpResponse last;
        for (int i = 0; i < each; ++i) {
            last = client.post(path, now);
            std::lock_guard const lock(mutex);
            if (last.status == 202) ids.insert(text(last.json(), "notificationId"));
        }
        return last;
    });
    CHECK(ids.size() == senders * each);
    CHECK(eventually([&] { return count(world, "status = 'sent'") == std::to_string(senders * each); }));
    CHECK(count(world, "attempts <> 1") == "0");
    CHECK(world.mails().size() == senders * each);
    CHECK(world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'notify.email'") == "0");
}

TEST_CASE("a notification that is cancelled when it becomes due is either sent or cancelled", "[notify]")
{
    World world;
    world.new_template("mail");
    constexpr int notifications = 40;
    std::vector<std::string> ids;
    auto const now = email(world, false);
    std::mutex mutex;
    // Each notification is cancelled right after it was accepted, while workers may claim its job.
    auto const answers = at_once(world, notifications, [&](testing::HttpClient& client, int) {
        auto const id = text(client.post(path, now).json(), "notificationId");
        {
            std::lock_guard const lock(mutex);
            ids.push_back(id);
        }
        return client.post("/v1/notifications/" + id + "/cancel", "");
    });
    auto const statuses = statuses_of(answers);
    for (auto const& [status, times] : statuses)
        CHECK((status == 200 || status == 409));
    CHECK(eventually([&] { return count(world, "status = 'queued'") == "0"; }));
    auto const cancelled = count(world, "failure_reason = 'CANCELLED'");
    CHECK(cancelled == std::to_string(statuses.contains(200) ? statuses.at(200) : 0));
    CHECK(std::to_string(world.mails().size()) == count(world, "status = 'sent'"));
    CHECK(std::to_string(notifications - std::stoi(cancelled)) == count(world, "status = 'sent'"));
    auto const mails = world.mails();
    for (auto const& id : ids) {
        bool const was_sent = std::ranges::any_of(
            mails, [&](std::string const& mail) { return mail.find(id) != std::string::npos; });
        CHECK(was_sent == (text(world.notification(id), "status") == "sent"));
    }
}

TEST_CASE("many concurrent reports make each status change once", "[notify]")
{
    World world;
    world.new_template("mail");
    std::vector<std::string> ids;
    auto const now = email(world, false);
    for (int i = 0; i < 5; ++i)
        ids.push_back(text(world.as_backend().post(path, now).json(), "notificationId"));
    for (auto const& id : ids)
        REQUIRE(world.becomes(id, "sent"));
    boost::json::array items, reversed;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        items.emplace_back(boost::json::object{{"id", ids[i]}});
        reversed.emplace_back(boost::json::object{{"id", ids[ids.size() - 1 - i]}});
    }
    auto const forwards = body({{"notifications", items}}), backwards = body({{"notifications", reversed}});

    // Acknowledgements in either order, mixed with openings, must not deadlock.
    auto const answers = at_once(world, 24, [&](testing::HttpClient& client, int i) {
        if (i % 3 == 2)
            return client.post("/v1/notifications/" + ids[static_cast<std::size_t>(i) % 5] + "/opened", "");
        return client.post("/v1/notifications/ack", i % 3 == 0 ? forwards : backwards);
    });
    CHECK(statuses_of(answers) == std::map<unsigned, int>{{200, 24}});
    std::map<std::string, int> delivered;
    for (auto const& answer : answers) {
        auto const json = answer.json();
        auto const* results = json.as_object().if_contains("results");
        if (results == nullptr) continue;
        for (auto const& item : results->as_array())
            if (text(item, "result") == "delivered") ++delivered[text(item, "id")];
    }
    for (auto const& [id, times] : delivered)
        CHECK(times == 1);
    for (auto const& id : ids) {
        auto client = world.as_backend();
        std::string history;
        for (auto const& event : all_items(client, "/v1/notifications/" + id + "/events"))
            history += text(event, "status") + ' ';
        CHECK(history == "opened delivered sent queued ");
    }
}

TEST_CASE("exactly one of several concurrent retries of a failed notification takes effect", "[notify]")
{
    World world;
    world.new_template("ping", {{"channel", "push"}});
    world.put_fcm();
    auto const id = world.send({{"templateName", "ping"}, {"channel", "push"}, {"to", "nobody"}});
    REQUIRE(world.becomes(id, "failed"));
    // Postpones the job of the retry, so that the notification does not fail again during the test.
    world.postgres.query(R"(
        CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.run_at := now() +
            interval '1 day'; RETURN NEW; END $$; CREATE TRIGGER hold BEFORE INSERT ON jobs FOR EACH ROW
            EXECUTE FUNCTION hold())");
    auto const answers = at_once(world, 16, [&](testing::HttpClient& client, int) {
        return client.post("/v1/notifications/" + id + "/retry", "");
    });
    CHECK(statuses_of(answers) == std::map<unsigned, int>{{202, 1}, {409, 15}});
    CHECK(world.postgres.query("SELECT count(*) FROM notification_events WHERE notification_id = '" + id +
                               "' AND status = 'queued'") == "1");
}

TEST_CASE("a retry locks the job before the notification, in the same order as a worker", "[notify]")
{
    World world;
    world.new_template("mail");
    auto const id = text(world.as_backend().post(path, email(world)).json(), "notificationId");
    REQUIRE(world.as_backend().post("/v1/notifications/" + id + "/cancel", "").status == 200);

    // Does the same as a worker that records an outcome: locks the job, then the notification.
    pqxx::connection connection(world.postgres.superuser_url());
    pqxx::work worker(connection);
    worker.exec("INSERT INTO jobs (scope_id, queue, ref, run_at) VALUES (" + world.scope_id() +
                ", 'notify.email', '" + id + "', now() + interval '1 day')");
    auto retried = std::async(std::launch::async,
        [&] { return world.as_backend().post("/v1/notifications/" + id + "/retry", "").status; });
    REQUIRE(eventually(
        [&] { return world.postgres.query("SELECT count(*) FROM pg_locks WHERE NOT granted") != "0"; }));
    CHECK_NOTHROW(worker.exec(
        "SELECT FROM notifications WHERE notification_id = '" + id + "' FOR NO KEY UPDATE NOWAIT"));
    worker.abort();
    CHECK(retried.get() == 202);
    CHECK(text(world.notification(id), "status") == "queued");
}

TEST_CASE("a held lock of one scope does not delay another scope", "[notify]")
{
    World world;
    std::string const held = "demo", elsewhere = "other";
    for (auto const& tenant : {held, elsewhere}) {
        world.key(tenant); // created before the threads
        world.as_app(tenant);
        world.new_template("mail", {}, tenant);
    }
    auto const send = [&](std::string const& tenant) {
        return [&, tenant, sent = email(world)](
                   int) { return world.as_backend(tenant).post(path, sent).status; };
    };
    testing::check_held_scope(world.postgres, world.scope_id(held), 202, send(held), send(elsewhere));

    auto const register_device = [&](std::string const& tenant) {
        return [&, tenant](int n) {
            boost::json::object const device{
                {"userId", ada}, {"token", tenant + std::to_string(n)}, {"platform", "android"}};
            return world.as_app(tenant).post("/v1/devices", body(device)).status;
        };
    };
    testing::check_held_scope(
        world.postgres, world.scope_id(held), 201, register_device(held), register_device(elsewhere));
}

TEST_CASE("a send that finds the queue full is refused before it reads the template", "[notify]")
{
    World world;
    world.new_template("mail");
    auto const sent = email(world);
    world.key(); // created before the threads
    std::atomic<bool> over = false;
    std::atomic<int> refused = 0;
    std::vector<std::jthread> others;
    pqxx::connection connection(world.postgres.superuser_url());
    pqxx::work locked(connection);
    // Blocks transactions with an Idempotency-Key, and reads of templates.
    locked.exec("LOCK TABLE idempotency_keys, templates");
    for (int i = 0; i < 8; ++i)
        others.emplace_back([&, i] {
            auto client = world.as_backend();
            auto const other =
                body({{"name", "other"}, {"channel", "email"}, {"subject", "x"}, {"body", "x"}});
            while (!over)
                if (client.post("/v1/templates", other, {{"Idempotency-Key", std::to_string(i)}}).status ==
                    503)
                    ++refused;
        });
    auto const refused_at_once = [&] {
        int const before = refused;
        if (!eventually([&] { return refused > before + 50; })) return false; // the queue is full
        auto answer = std::async(std::launch::async,
            [&] { return world.as_backend().post(path, sent, {{"Idempotency-Key", "mine"}}).status; });
        bool waited = false;
        while (answer.wait_for(1ms) != std::future_status::ready)
            waited = waited || world.postgres.query(R"(
                SELECT count(*)
                FROM pg_locks
                WHERE NOT granted AND relation = 'templates'::regclass)") != "0";
        return answer.get() == 503 && !waited;
    };
    CHECK(eventually(refused_at_once));
    over = true;
    locked.abort();
}
