#include "auth/token_claims.hpp"
#include "crypto/jwt.hpp"
#include "emails.hpp"
#include "receiver.hpp"
#include "support/eventually.hpp"
#include "support/process.hpp"
#include "support/program.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <algorithm>
#include <atomic>
#include <thread>

// The other services are asked to erase deleted users.

namespace {

namespace json = boost::json;

/// A service that answers POST /v1/erasures.
struct Target {
    std::atomic<unsigned> status = 200;
    std::string body = R"({"deleted":true})";
    testing::Receiver receiver{[this](testing::Received const&) { return testing::reply(status, body); }};

    std::string entry(std::string const& service) const { return service + "=" + receiver.url("/{tenant}"); }
};

World::Options with_targets(std::string targets)
{
    return {.environment = {{"ERASURE_TARGETS", std::move(targets)}}};
}

std::string delete_user(World const& world, Account const& account)
{
    auto const deleted = testing::require(200, world.as(account).del("/v1/auth/me"));
    return text(deleted.json(), "erasureId");
}

json::object erasure(World const& world, std::string const& id)
{
    return testing::require(200, world.as_master().get("/v1/erasures/" + id)).json().as_object();
}

json::object target_of(World const& world, std::string const& id, std::string_view service)
{
    auto const shown = erasure(world, id);
    for (auto const& target : shown.at("targets").as_array())
        if (text(target, "service") == service) return target.as_object();
    FAIL("the erasure has no such target");
    return {};
}

int attempts_of(World const& world, std::string const& id, std::string_view service)
{
    return target_of(world, id, service).at("attempts").to_number<int>();
}

/// The program, on the data of a World whose own service has stopped.
struct Program : testing::Program {
    Program(World const& world, std::string const& targets)
        : testing::Program(AUTH_MFA_PROGRAM, variables_of(world, targets))
    {
    }

    static testing::Variables variables_of(World const& world, std::string const& targets)
    {
        auto variables = world.variables();
        variables["SMS_PROVIDER"] = "outbox";
        variables["SMS_OUTBOX"] = world.directory.path() + "/sms-of-program";
        variables["SMS_BRAND_PROVIDER"] = World::provider;
        variables["EMAIL_PROVIDER"] = "outbox";
        variables["EMAIL_OUTBOX"] = world.directory.path() + "/mails-of-program";
        variables["ERASURE_TARGETS"] = targets;
        return variables;
    }

    testing::HttpClient as_master() const { return client("Bearer " + std::string(testing::master_key)); }
};

bool becomes(World const& world, std::string const& id, std::string_view service, std::string_view status)
{
    return testing::eventually(
        [&] { return text(target_of(world, id, service), "status") == status; }, std::chrono::minutes(1));
}

} // namespace

TEST_CASE("each service gets a token that is good for this erasure only", "[erasures]")
{
    Target feedback, billing;
    World const world(with_targets(feedback.entry("feedback") + ", " + billing.entry("billing")));
    auto const ada = world.new_account();
    auto const id = delete_user(world, ada);
    REQUIRE(becomes(world, id, "feedback", "done"));
    REQUIRE(becomes(world, id, "billing", "done"));
    CHECK(testing::eventually([&] { return !erasure(world, id).at("completedAt").is_null(); }));

    auto const requests = feedback.receiver.received();
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].method == "POST");
    CHECK(requests[0].target == "/demo-sandbox/v1/erasures");
    std::string const bearer = requests[0].headers.at("authorization");
    REQUIRE(bearer.starts_with("Bearer "));
    auto const token = crypto::parse_jws(std::string_view(bearer).substr(7));
    REQUIRE(token);
    CHECK(token->header.at("typ") == "erasure+jwt");
    CHECK(token->header.at("alg") == "ES256");
    auto const& claims = token->payload;
    CHECK(claims.at("aud") == "feedback");
    CHECK(claims.at("sub") == json::value(ada.user_id));
    CHECK(claims.at("tenant") == "demo");
    CHECK(claims.at("env") == "sandbox");
    CHECK(claims.contains("jti"));
    CHECK(claims.at("exp").to_number<std::int64_t>() - claims.at("iat").to_number<std::int64_t>() <= 300);
    CHECK(claims.at("iss").as_string().starts_with("http://demo-sandbox.auth.localhost"));
    auto const done = target_of(world, id, "feedback");
    CHECK(done.at("attempts").to_number<int>() == 1);
    CHECK(done.at("lastError").is_null());
    CHECK_FALSE(done.at("doneAt").is_null());
    // This service accepts no such token.
    CHECK(world.with(std::string(bearer.substr(7))).get("/v1/auth/me").status == 401);
    CHECK(world.with(std::string(bearer.substr(7))).get("/v1/members").status == 401);
}

TEST_CASE("a service that is down delays no other, and is asked again", "[erasures]")
{
    Target feedback, notify;
    feedback.status = 503;
    World world(with_targets(feedback.entry("feedback") + "," + notify.entry("notify")));
    auto const id = delete_user(world, world.new_account());
    REQUIRE(becomes(world, id, "notify", "done"));
    REQUIRE(testing::eventually(
        [&] { return target_of(world, id, "feedback").at("attempts").to_number<int>() >= 1; }));
    auto const waiting = target_of(world, id, "feedback");
    CHECK(text(waiting, "status") == "pending");
    CHECK(text(waiting, "lastError") == "the service answered 503");
    CHECK(erasure(world, id).at("completedAt").is_null());

    feedback.status = 200;
    world.clock.advance(std::chrono::minutes(31));
    CHECK(becomes(world, id, "feedback", "done"));
    CHECK(testing::eventually([&] { return !erasure(world, id).at("completedAt").is_null(); }));
    CHECK(target_of(world, id, "feedback").at("lastError").is_null());
}

TEST_CASE("a service that does not confirm within three days has failed", "[erasures]")
{
    Target feedback;
    feedback.status = 500;
    World world(with_targets(feedback.entry("feedback")));
    auto const id = delete_user(world, world.new_account());
    REQUIRE(testing::eventually([&] { return !feedback.receiver.received().empty(); }));
    world.clock.advance(std::chrono::hours(73));
    REQUIRE(becomes(world, id, "feedback", "failed"));
    CHECK(erasure(world, id).at("completedAt").is_null());
    CHECK(world.postgres.query("SELECT count(*) FROM jobs WHERE queue LIKE 'erasures%'") == "0");
    // This is final.
    auto const asked = feedback.receiver.received().size();
    feedback.status = 200;
    world.clock.advance(std::chrono::hours(73));
    world.restart();
    CHECK(text(target_of(world, id, "feedback"), "status") == "failed");
    CHECK(feedback.receiver.received().size() == asked);
}

TEST_CASE("a service without the tenant has nothing to erase", "[erasures]")
{
    Target billing;
    billing.status = 404;
    SECTION("it does not know the tenant")
    {
        billing.body = R"({"status":404,"code":"TENANT_NOT_FOUND"})";
        World const world(with_targets(billing.entry("billing")));
        CHECK(becomes(world, delete_user(world, world.new_account()), "billing", "done"));
    }
    SECTION("the URL is wrong")
    {
        billing.body = R"({"status":404,"code":"NOT_FOUND"})";
        World const world(with_targets(billing.entry("billing")));
        auto const id = delete_user(world, world.new_account());
        REQUIRE(
            testing::eventually([&] { return !target_of(world, id, "billing").at("lastError").is_null(); }));
        CHECK(text(target_of(world, id, "billing"), "status") == "pending");
    }
}

TEST_CASE("a target's URL has the tenant's host label of the environment", "[erasures]")
{
    Target feedback;
    World const world(with_targets(feedback.entry("feedback")));
    for (auto const& [tenant, label] : {std::pair("demo", "demo"), std::pair("demo-sandbox", "demo-sandbox"),
             std::pair("other", "other"), std::pair("other-sandbox", "other-sandbox")}) {
        delete_user(world, world.new_account(tenant));
        INFO(label);
        CHECK(testing::eventually([&] {
            return std::ranges::any_of(feedback.receiver.received(), [&](testing::Received const& request) {
                return request.target == "/" + std::string(label) + "/v1/erasures";
            });
        }));
    }
    CHECK(feedback.receiver.received().size() == 4);
}

TEST_CASE("a confirmation must say that the user is deleted", "[erasures]")
{
    Target notify;
    notify.body = "<html>welcome</html>"; // of a proxy
    World const world(with_targets(notify.entry("notify")));
    auto const id = delete_user(world, world.new_account());
    REQUIRE(testing::eventually([&] { return attempts_of(world, id, "notify") == 1; }));
    auto const target = target_of(world, id, "notify");
    CHECK(text(target, "status") == "pending");
    CHECK(text(target, "lastError") == "the service answered 200 without `deleted`");
}

TEST_CASE("a closed port, a time-out and a response that is cut off are attempts that failed", "[erasures]")
{
    auto const port = testing::free_port();
    testing::Gate gate;
    testing::Receiver silent([&](testing::Received const&) {
        gate.pass_blocking();
        return testing::reply(200, R"({"deleted":true})");
    });
    std::atomic<bool> whole = false;
    testing::Receiver cut([&](testing::Received const&) {
        auto const response = testing::reply(200, R"({"deleted":true})");
        return whole ? response : response.substr(0, response.size() - 1);
    });
    testing::OpenAtEnd const at_end{gate};
    World world(with_targets("feedback=http://127.0.0.1:" + std::to_string(port) + "/{tenant},notify=" +
                             silent.url("/{tenant}") + ",billing=" + cut.url("/{tenant}")));
    auto const id = delete_user(world, world.new_account());
    REQUIRE(testing::eventually([&] { return cut.received().size() == 1; }));
    cut.close_connections();
    auto const failed = [&](std::string_view service, std::string const& error) {
        if (!testing::eventually(
                [&] { return attempts_of(world, id, service) == 1; }, std::chrono::minutes(1)))
            return false;
        auto const target = target_of(world, id, service);
        return text(target, "status") == "pending" && target.at("doneAt").is_null() &&
               text(target, "lastError") == "the service was not reached: " + error;
    };
    CHECK(failed("feedback", "connect"));
    CHECK(failed("billing", "protocol"));
    CHECK(failed("notify", "timeout")); // after 30 seconds
    CHECK(erasure(world, id).at("completedAt").is_null());

    gate.open();
    whole = true;
    world.clock.advance(std::chrono::minutes(31));
    CHECK(becomes(world, id, "notify", "done"));
    CHECK(becomes(world, id, "billing", "done"));
    CHECK(attempts_of(world, id, "billing") == 2);
    REQUIRE(testing::eventually([&] { return attempts_of(world, id, "feedback") == 2; }));
    CHECK(erasure(world, id).at("completedAt").is_null());
    // Services that have confirmed are not asked again.
    world.clock.advance(std::chrono::minutes(31));
    REQUIRE(testing::eventually([&] { return attempts_of(world, id, "feedback") == 3; }));
    CHECK(cut.received().size() == 2);
    CHECK(silent.received().size() == 2);
    CHECK(attempts_of(world, id, "billing") == 2);
}

TEST_CASE("an erasure is completed once after kill -9", "[erasures]")
{
    testing::Gate gate;
    testing::Receiver receiver([&](testing::Received const&) {
        gate.pass_blocking();
        return testing::reply(200, R"({"deleted":true})");
    });
    testing::OpenAtEnd const at_end{gate};
    auto const targets = "notify=" + receiver.url("/{tenant}");
    World world;
    auto const ada = world.new_account();
    world.host->stop();
    testing::free_database(world.postgres);
    auto const count = [&](std::string const& table) {
        return world.postgres.query(
            "SELECT count(*) FROM " + table + " WHERE user_id = '" + ada.user_id + "'");
    };
    bool const while_deleting = GENERATE(true, false);
    INFO(while_deleting);
    std::string erasure_id;
    {
        Program program(world, targets);
        auto const remove = [&] { return program.as_master().del("/v1/members/" + ada.user_id); };
        if (while_deleting) { // the account is deleted, and its rows wait
            pqxx::connection connection(world.postgres.superuser_url());
            pqxx::work held(connection);
            held.exec("LOCK TABLE activity IN ACCESS EXCLUSIVE MODE");
            std::jthread const request([&] {
                try {
                    remove();
                } catch (std::exception const&) { // NOLINT(bugprone-empty-catch): the program is killed
                }
            });
            REQUIRE(testing::eventually([&] { return count("users") == "0"; }));
            program.kill();
        } else { // the service is being asked
            REQUIRE(remove().status == 200);
            REQUIRE(testing::eventually([&] { return !receiver.received().empty(); }));
            program.kill();
        }
    }
    erasure_id = world.postgres.query("SELECT erasure_id FROM erasures WHERE completed_at IS NULL");
    REQUIRE(erasure_id.size() == 36);
    gate.open();
    auto const before = receiver.received().size();
    // Otherwise the next program would wait for the delay of the job, or for the end of the dead program's
    // lease.
    world.postgres.query(
        "UPDATE jobs SET run_at = jobs_now(), lease_owner = NULL WHERE queue LIKE 'erasures%'");
    Program const program(world, targets);
    auto const shown = [&] { return program.as_master().get("/v1/erasures/" + erasure_id).json(); };
    REQUIRE(testing::eventually([&] { return !shown().at("completedAt").is_null(); }));
    CHECK(text(shown().at("targets").at(0), "status") == "done");
    CHECK(count("activity") == "0");
    CHECK(count("sessions") == "0");
    CHECK(receiver.received().size() == before + 1);
    CHECK(world.postgres.query("SELECT count(*) FROM jobs WHERE queue LIKE 'erasures%'") == "0");
    CHECK(world.postgres.query("SELECT count(*) FROM erasures") == "1");
}

TEST_CASE("an erasure survives a restart between the deletion and the request", "[erasures]")
{
    Target notify;
    notify.status = 503;
    World world(with_targets(notify.entry("notify")));
    auto const id = delete_user(world, world.new_account());
    world.restart();
    notify.status = 200;
    world.clock.advance(std::chrono::minutes(31));
    CHECK(becomes(world, id, "notify", "done"));
}

TEST_CASE("erasures are listed newest first, to staff of the environment", "[erasures]")
{
    World const world;
    auto const owner = world.new_owner();
    std::vector<std::string> ids;
    for (int i = 0; i < 3; ++i)
        ids.push_back(delete_user(world, world.new_account()));
    auto caller = world.as(owner);
    auto const listed = all_items(caller, "/v1/erasures", 2);
    REQUIRE(listed.size() == 3);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(text(listed[i], "erasureId") == ids[2 - i]);
    auto backend = world.with(world.new_key());
    CHECK(all_items(backend, "/v1/erasures") == listed);
    auto admin = world.as(world.new_member(owner, "admin"));
    CHECK(all_items(admin, "/v1/erasures") == listed);
    CHECK(world.as_master("other-sandbox").get("/v1/erasures").json().at("items").as_array().empty());
    CHECK(world.as(world.new_account()).get("/v1/erasures").status == 403);
    CHECK(world.as_master("demo").get("/v1/erasures/" + ids[0]).status == 404);
    CHECK(caller.get("/v1/erasures/nothing").status == 404);
}

TEST_CASE("ERASURE_TARGETS must name services and places for the tenant", "[erasures]")
{
    for (auto const* const wrong : {"feedback", "feedback=https://feedback.example.com",
             "shop=https://{tenant}.shop.example.com", "feedback=ftp://{tenant}.example.com",
             "feedback=https://{tenant}.a.example.com,feedback=https://{tenant}.b.example.com"}) {
        INFO(wrong);
        CHECK_THROWS(World(with_targets(wrong)));
    }
}
