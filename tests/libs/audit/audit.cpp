#include "audit/audit.hpp"

#include "core/error.hpp"
#include "pg/database.hpp"
#include "pg/row.hpp"
#include "support/postgres.hpp"
#include "support/run_awaitable.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <pqxx/except>

#include <atomic>
#include <set>
#include <thread>

namespace {

core::Scope const acme = core::Scope::of(core::TenantId{1}, core::Environment::production, "acme");
core::Scope const acme_sandbox = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "acme");

struct Store {
    testing::Postgres postgres = testing::Postgres::migrated({&audit::migrations()}, "audit");
    pg::Database database{{.url = postgres.service_url()}};

    void record(std::string action, std::string actor = "key:fbk_12345678", core::Scope const& scope = acme)
    {
        http::Context context;
        context.request_id = "req-1";
        context.scope = scope;
        context.caller = {.kind = core::Access::key, .id = std::move(actor), .role = "admin"};
        database.transact_blocking(scope, [&](pg::Tx& tx) {
            audit::record(tx, context, {.action = action, .subject_type = "thing", .subject_id = "7"});
        });
    }

    /// Records an action in each scope with the SQL function `record_audit`.
    void record_many(std::vector<core::ScopeId> const& scopes, std::string const& action)
    {
        std::vector<std::string> ids, actions(scopes.size(), action), ones(scopes.size(), "x");
        for (std::size_t i = 0; i < scopes.size(); ++i)
            ids.push_back(core::Uuid::v7().to_string());
        database.transact_blocking(pg::Scopes(scopes), [&](pg::Tx& tx) {
            tx.run(R"(
                SELECT record_audit($1::bigint[], $2::uuid[], $3::text[], $3::text[], $4::text[], $3::text[],
                    $3::text[], array_fill('{"n": 1}'::text, ARRAY[cardinality($1::bigint[])]), $3::text[]))",
                {scopes, ids, ones, actions});
        });
    }

    boost::json::object list(std::string const& query = {}, core::Scope const& scope = acme)
    {
        http::Request request;
        request.query = query;
        request.context.scope = scope;
        auto const response = testing::run_awaitable(audit::list_audit(request, database));
        CHECK(response.status == 200);
        return boost::json::parse(response.body).as_object();
    }

    /// Returns `member` of every entry, over all pages.
    std::vector<std::string> walk(std::string const& query, char const* member)
    {
        std::vector<std::string> seen;
        std::string cursor;
        for (;;) {
            auto const page = list(query + cursor);
            for (auto const& item : page.at("items").as_array())
                seen.emplace_back(item.as_object().at(member).as_string());
            if (page.at("cursor").is_null()) return seen;
            cursor = "&cursor=" + std::string(page.at("cursor").as_string());
        }
    }
};

} // namespace

TEST_CASE("an entry contains the actor, the action, and the values before and after")
{
    Store store;
    http::Context context;
    context.request_id = "req-9";
    context.scope = acme;
    context.caller = {.kind = core::Access::owner, .id = "user-1", .role = "owner"};
    store.database.transact_blocking(acme, [&](pg::Tx& tx) {
        audit::record(tx, context,
            {.action = "settings.updated",
                .subject_type = "settings",
                .before = boost::json::parse(R"({"a": [1, "\u00e9"]})"),
                .after = boost::json::parse("null")});
        audit::record(tx, acme, {.id = "system:sync"},
            {.action = "member.removed", .subject_type = "member", .subject_id = "m"});
    });

    auto const items = store.list().at("items").as_array();
    REQUIRE(items.size() == 2);
    auto const& newest = items[0].as_object();
    CHECK(newest.at("actor") == "system:sync");
    CHECK(newest.at("actorRole") == "system");
    CHECK(newest.at("requestId") == "");
    CHECK(newest.at("before").is_null());
    auto const& entry = items[1].as_object();
    CHECK(entry.size() == 10);
    CHECK(core::Uuid::parse(std::string_view(entry.at("auditId").as_string())));
    CHECK(entry.at("createdAt").as_string().size() == 24);
    CHECK(entry.at("actor") == "user-1");
    CHECK(entry.at("actorRole") == "owner");
    CHECK(entry.at("action") == "settings.updated");
    CHECK(entry.at("subjectType") == "settings");
    CHECK(entry.at("subjectId") == "");
    CHECK(boost::json::serialize(entry.at("before")) == "{\"a\":[1,\"\xc3\xa9\"]}");
    CHECK(entry.at("after").is_null());
    CHECK(entry.at("requestId") == "req-9");
}

TEST_CASE("several entries of a request are recorded in their order")
{
    Store store;
    http::Context context;
    context.request_id = "req-1";
    context.scope = acme;
    context.caller = {.kind = core::Access::key, .id = "key:fbk_12345678", .role = "admin"};
    std::vector<audit::Entry> entries;
    for (int i = 0; i < 100; ++i) {
        auto entry = audit::updated("thing", core::Uuid::v7(), {{"n", i}}, {{"n", i + 1}});
        if (i % 2 == 1) entry.before.reset();
        entries.push_back(std::move(entry));
    }
    store.database.transact_blocking(acme, [&](pg::Tx& tx) {
        audit::record_all(tx, context, entries);
        audit::record_all(tx, context, {});
    });
    auto const items = store.list("limit=100").at("items").as_array();
    REQUIRE(items.size() == 100);
    for (int i = 0; i < 100; ++i) {
        auto const& item = items.at(static_cast<std::size_t>(99 - i));
        CHECK(item.at("subjectId").as_string() == entries[static_cast<std::size_t>(i)].subject_id);
        CHECK(item.at("requestId") == "req-1");
        CHECK(item.at("before").is_null() == (i % 2 == 1));
        CHECK(item.at("after").at("n") == i + 1);
    }
    CHECK(store.list("limit=1", acme_sandbox).at("items").as_array().empty());
}

TEST_CASE("entries of created, updated and deleted objects contain the values before and after")
{
    auto const id = core::Uuid::v7();
    auto const shown = [](audit::Entry const& entry) {
        auto const text = [](std::optional<boost::json::value> const& value) {
            return value ? boost::json::serialize(*value) : "-";
        };
        return entry.action + ' ' + text(entry.before) + ' ' + text(entry.after);
    };
    CHECK(shown(audit::created("thing", id, 1)) == "thing.created - 1");
    CHECK(shown(audit::updated("thing", id, 1, 2)) == "thing.updated 1 2");
    CHECK(shown(audit::deleted("thing", id, 2)) == "thing.deleted 2 -");
    CHECK(audit::deleted("thing", id, 2).subject_type == "thing");
    CHECK(audit::deleted("thing", id, 2).subject_id == id.to_string());
}

TEST_CASE("a rollback also removes the audit entry")
{
    Store store;
    CHECK_THROWS_AS(store.database.transact_blocking(acme,
                        [](pg::Tx& tx) {
                            audit::record(tx, acme, {.id = "a"}, {.action = "x", .subject_type = "t"});
                            throw core::Error(core::codes::conflict, "no");
                        }),
        core::Error);
    CHECK(store.list().at("items").as_array().empty());
}

TEST_CASE("entries are filtered and paged, newest first")
{
    Store store;
    for (int i = 0; i < 30; ++i)
        store.record(i % 3 == 0 ? "key.created" : "key.revoked", i % 2 == 0 ? "even" : "odd");
    CHECK(store.list().at("items").as_array().size() == 20);
    CHECK(store.walk("limit=7", "auditId").size() == 30);
    CHECK(store.walk("limit=3&action=key.created", "action") == std::vector<std::string>(10, "key.created"));
    CHECK(store.walk("limit=4&actor=odd", "actor") == std::vector<std::string>(15, "odd"));
    CHECK(store.walk("limit=4&actor=odd&action=key.created", "actor") == std::vector<std::string>(5, "odd"));
    CHECK(store.walk("limit=5&action=other", "actor").empty());
    auto const times = store.walk("limit=7", "createdAt");
    CHECK(std::is_sorted(times.rbegin(), times.rend()));

    auto const cursor = std::string(store.list("limit=5&actor=odd").at("cursor").as_string());
    CHECK_NOTHROW(store.list("limit=9&actor=odd&cursor=" + cursor));
    CHECK_THROWS_AS(store.list("actor=even&cursor=" + cursor), core::Error);
    CHECK_THROWS_AS(store.list("cursor=" + cursor), core::Error);
    CHECK_THROWS_AS(store.list("limit=101"), core::Error);
}

TEST_CASE("an entry is visible only in its own scope")
{
    Store store;
    store.record("one");
    store.record("two", "a", acme_sandbox);
    CHECK(store.list({}, acme).at("items").as_array().size() == 1);
    CHECK(store.list({}, acme_sandbox).at("items").as_array().size() == 1);
    CHECK(store.list({}, core::Scope::of(core::TenantId{2}, core::Environment::production, "other"))
            .at("items")
            .as_array()
            .empty());

    auto const unseen = store.database.transact_blocking(acme_sandbox, [](pg::Tx& tx) {
        auto const rows = tx.run("SELECT count(*) FROM audit_log WHERE scope_id = $1", {acme.id});
        return pg::RowReader(rows.front()).integer();
    });
    CHECK(unseen == 0);
    CHECK_THROWS_AS(
        store.database.transact_blocking(acme_sandbox,
            [](pg::Tx& tx) { audit::record(tx, acme, {.id = "a"}, {.action = "x", .subject_type = "t"}); }),
        pqxx::insufficient_privilege);
}

TEST_CASE("the service can neither change nor remove an entry")
{
    Store store;
    store.record("one");
    for (std::string const sql : {"UPDATE audit_log SET actor = 'me' WHERE scope_id = 2",
             "DELETE FROM audit_log WHERE scope_id = 2", "TRUNCATE audit_log"}) {
        INFO(sql);
        CHECK_THROWS_AS(store.database.transact_blocking(acme, [&](pg::Tx& tx) { tx.run(sql); }),
            pqxx::insufficient_privilege);
    }
    CHECK(store.list().at("items").as_array().size() == 1);
}

TEST_CASE("paging neither omits nor repeats an entry while other entries are written")
{
    Store store;
    for (int i = 0; i < 20; ++i)
        store.record("old");
    std::atomic<bool> stop = false;
    std::vector<std::jthread> writers;
    for (int w = 0; w < 3; ++w)
        writers.emplace_back([&] {
            while (!stop)
                store.database.transact_blocking(acme, [&](pg::Tx& tx) {
                    tx.run("SELECT pg_sleep(random() * 0.003)");
                    audit::record(tx, acme, {.id = "w"}, {.action = "new", .subject_type = "t"});
                    tx.run("SELECT pg_sleep(random() * 0.003)");
                });
        });
    std::vector<std::vector<std::string>> walks;
    for (int i = 0; i < 15; ++i)
        walks.push_back(store.walk("limit=5", "auditId"));
    stop = true;
    writers.clear();
    for (auto const& seen : walks) {
        CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == seen.size());
        CHECK(
            store.postgres.query(
                "SELECT count(*) FROM audit_log WHERE (at, audit_id) <= (SELECT at, audit_id FROM audit_log "
                "WHERE audit_id = '" +
                seen.front() + "')") == std::to_string(seen.size()));
    }
}

TEST_CASE("a list of a long log reads only its page")
{
    Store store;
    store.postgres.query(
        R"(
        INSERT INTO audit_log
        SELECT 2, gen_random_uuid(), now() - i * interval '1 second', 'a' || i % 1000, 'admin',
            'x' || i % 10, 't', '', NULL, NULL, ''
        FROM generate_series(1, 50000) AS i; ANALYZE audit_log)");
    auto const reads_index = [&](std::string const& condition, std::string const& index) {
        auto const plan = store.postgres.query(
            "SET enable_sort = off; EXPLAIN (FORMAT JSON) SELECT * FROM audit_log WHERE scope_id = 2" +
            condition + " ORDER BY at DESC, audit_id DESC LIMIT 21");
        INFO(plan);
        CHECK(plan.find("\"" + index + "\"") != std::string::npos);
        CHECK(plan.find("\"Sort\"") == std::string::npos);
    };
    reads_index("", "audit_log_by_age");
    reads_index(" AND actor = 'a7'", "audit_log_by_actor");
    reads_index(" AND action = 'nothing'", "audit_log_by_action");
    CHECK(store.walk("limit=100&actor=a7", "actor").size() == 50);
}

TEST_CASE("one statement records entries of several scopes")
{
    Store store;
    store.record_many({acme_sandbox.id, acme.id, acme.id}, "many");
    CHECK(store.list("action=many").at("items").as_array().size() == 2);
    auto const items = store.list("action=many", acme_sandbox).at("items").as_array();
    REQUIRE(items.size() == 1);
    CHECK(items[0].at("after").at("n") == 1);
    CHECK(items[0].at("before").is_null());
    store.record_many({}, "none");
    CHECK(store.list("action=none").at("items").as_array().empty());
}

TEST_CASE("the erasure of a user replaces the user by the pseudonym and removes values")
{
    Store store;
    auto const record = [&](std::string actor, std::string const& subject, core::Scope const& scope = acme) {
        store.database.transact_blocking(scope, [&](pg::Tx& tx) {
            audit::record(tx, scope, {.id = std::move(actor), .role = "admin", .request_id = "r"},
                {.action = "thing.changed",
                    .subject_type = subject == "ada" ? "member" : "thing",
                    .subject_id = subject,
                    .before = boost::json::object{{"n", 1}},
                    .after = boost::json::object{{"n", 2}}});
        });
    };
    auto const erase = [&](std::vector<std::string> const& subjects = {}, std::size_t limit = 500) {
        return store.database.transact_blocking(acme, [&](pg::Tx& tx) {
            return audit::erase_user(tx, acme.id, core::UserId("ada"), "deleted:1", subjects, limit);
        });
    };
    auto const shown = [&](core::Scope const& scope = acme) {
        std::string all;
        auto const items = store.list("limit=100", scope).at("items").as_array();
        for (auto it = items.rbegin(); it != items.rend(); ++it)
            all += boost::json::serialize(boost::json::array{it->at("actor"), it->at("subjectId"),
                       it->at("before"), it->at("after"), it->at("requestId")}) +
                   "\n";
        return all;
    };
    record("ada", "t1");
    record("bob", "ada");
    record("ada", "ada");
    record("bob", "t2");
    record("bob", "t3");
    record("ada", "t1", acme_sandbox);

    CHECK(erase({"t2"}) == 4);
    CHECK(shown() == R"(["deleted:1","t1",{"n":1},{"n":2},""]
["bob","deleted:1",null,null,""]
["deleted:1","deleted:1",null,null,""]
["bob","t2",null,null,"r"]
["bob","t3",{"n":1},{"n":2},"r"]
)");
    CHECK(erase({"t2"}) == 0);
    CHECK(shown(acme_sandbox) == "[\"ada\",\"t1\",{\"n\":1},{\"n\":2},\"r\"]\n");
    for (int i = 0; i < 5; ++i)
        record("ada", "t" + std::to_string(i));
    CHECK(erase({}, 2) == 2);
    CHECK(erase({}, 2) == 2);
    CHECK(erase({}, 2) == 1);
    CHECK_THROWS_AS(store.database.transact_blocking(
                        acme, [](pg::Tx& tx) { tx.run("UPDATE audit_log SET actor = 'x'"); }),
        pqxx::insufficient_privilege);
}

TEST_CASE("the erasure of a user changes only entries by and about users")
{
    Store store;
    auto const webhook_id = core::Uuid::v7().to_string();

    struct Case {
        std::string id, role, subject_type;
    };

    std::vector<Case> const others{{"key:fbk_a1b2", "admin", "key"}, {"master", "owner", "settings"},
        {"system:sync", "system", "feedback"}, {"anonymous", "user", "session"},
        {webhook_id, "system", "webhook"}};
    std::vector<Case> const users{
        {"ada", "user", "user"}, {"bob", "admin", "member"}, {"eve", "owner", "user"}};
    // Each entry names the same id as its actor and as its subject.
    auto const changed = [&](Case const& c) {
        return store.database.transact_blocking(acme, [&](pg::Tx& tx) {
            audit::record(tx, acme, {.id = c.id, .role = c.role, .request_id = "r"},
                {.action = "x", .subject_type = c.subject_type, .subject_id = c.id, .after = 1});
            return audit::erase_user(tx, acme.id, core::UserId(c.id), "deleted:1", {}, 500);
        });
    };
    for (auto const& c : others) {
        INFO(c.id);
        CHECK(changed(c) == 0);
        CHECK(store.list("actor=" + c.id).at("items").at(0).at("subjectId") == boost::json::value(c.id));
        CHECK(store.list("actor=" + c.id).at("items").at(0).at("requestId") == "r");
    }
    for (auto const& c : users) {
        INFO(c.id);
        CHECK(changed(c) == 1);
        CHECK(store.list("actor=" + c.id).at("items").as_array().empty());
    }
    // A backend may choose such an id for a user, who can be a subject then.
    CHECK(changed({"master", "owner", "user"}) == 1);
    auto const newest = store.list("actor=master&limit=1").at("items").at(0);
    CHECK(newest.at("subjectId") == "deleted:1");
    CHECK(newest.at("after").is_null());
}

TEST_CASE("the erasure of a user changes no entry of a scope that the transaction does not see")
{
    Store store;
    store.record("thing.created", "ada", acme_sandbox);
    auto const changed = store.database.transact_blocking(acme, [&](pg::Tx& tx) {
        return audit::erase_user(tx, acme_sandbox.id, core::UserId("ada"), "deleted:1", {}, 500);
    });
    CHECK(changed == 0);
    CHECK(store.list("actor=ada", acme_sandbox).at("items").as_array().size() == 1);
}
