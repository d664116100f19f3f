#include "search_calls.hpp"
#include "support/config.hpp"
#include "support/scope_rows.hpp"
#include "workers/index_search.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <exception>
#include <set>

namespace {

using Ids = std::vector<std::string>;
namespace json = boost::json;

std::string reply(
    testing::HttpClient& client, std::string const& thread, std::string const& body, bool internal = false)
{
    json::object reply{{"body", body}};
    if (internal) reply["internal"] = true;
    auto const r = client.post("/v1/feedbacks/" + thread + "/replies", json::serialize(reply));
    REQUIRE(r.status == 201);
    return text(r.json(), "replyId");
}

/// The ids of all threads that the caller finds, in the order of the list, read in pages of two.
Ids found(testing::HttpClient& client, std::string_view q, std::string const& more = {})
{
    Ids ids;
    for (auto const& item : all_items(client, "/v1/feedbacks?q=" + encoded(q) + more, 2))
        ids.push_back(text(item, "feedbackId"));
    return ids;
}

int index_search(World& world)
{
    service::Settings settings;
    settings.database_url = core::Secret(world.postgres.service_url());
    auto config = testing::config_of("FEEDBACK", {});
    auto const task = feedback::index_search_command().prepare(config, settings);
    return task(world.logger);
}

std::string documents(World const& world)
{
    return world.postgres.query("SELECT count(*) FROM search_documents");
}

/// Inserts rows as the previous version does: without words.
void insert_many(World const& world, std::string const& count, std::string const& title)
{
    world.postgres.query(R"(
        INSERT INTO feedbacks (scope_id, feedback_id, created_at, updated_at, status, category, title, body, author_id,
                               author_role)
        SELECT )" + world.scope_id() +
                         R"(, gen_random_uuid(), t, t, 'open', 'bug', )" + title +
                         R"(, 'Text ' || n, 'x', 'admin'
        FROM (SELECT n, now() - interval '1 day' + n * interval '1 ms' AS t FROM generate_series(1, )" +
                         count + R"() AS n) AS s)");
}

} // namespace

TEST_CASE("a search finds words of the title, the body and the replies", "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    auto const login = make(backend, "Login page", "It fails on Tuesday.");
    auto const cafe = make(backend, "Two Cafés", "Ein Straßenname fehlt");
    auto const other = make(backend, "Dark mode");
    reply(backend, login, "We saw a crash, too.");
    CHECK(found(backend, "login") == Ids{login});
    CHECK(found(backend, "LOG") == Ids{login});
    CHECK(found(backend, "ogin").empty());
    CHECK(found(backend, "tuesday") == Ids{login});
    CHECK(found(backend, "crash") == Ids{login});
    CHECK(found(backend, "login crash tuesday") == Ids{login});
    CHECK(found(backend, "login -crash").empty());
    CHECK(found(backend, "cafe") == Ids{cafe});
    CHECK(found(backend, "CAFÉ strasse") == Ids{cafe});
    CHECK(found(backend, "mode or cafes") == Ids{other, cafe});
    CHECK(found(backend, "\"dark mode\"") == Ids{other});
    CHECK(found(backend, "\"mode dark\"").empty());
    CHECK(found(backend, "\"page it\"").empty());
    CHECK(found(backend, "-login") == Ids{other, cafe});
    CHECK(found(backend, "🎉").empty());
    CHECK(found(backend, "' | 'login") == Ids{login});
    CHECK(found(backend, "\\' :* & !( <-> login").size() == 1);
}

TEST_CASE("texts in scripts without spaces are found by any part", "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    auto const chinese = make(backend, "搜索功能无法使用", "请尽快修复登录页面的问题");
    auto const japanese = make(backend, "ﾊﾟｽﾜｰﾄﾞを忘れた", "東京都庁のがめんがでない");
    auto const thai = make(backend, "ค้นหาไม่ได้", "ภาษาไทย");
    CHECK(found(backend, "功能") == Ids{chinese});
    CHECK(found(backend, "登录页面") == Ids{chinese});
    CHECK(found(backend, "登页").empty());
    CHECK(found(backend, "索") == Ids{chinese});
    CHECK(found(backend, "京都") == Ids{japanese});
    CHECK(found(backend, "京都庁の") == Ids{japanese});
    CHECK(found(backend, "東庁").empty());
    CHECK(found(backend, "パスワード") == Ids{japanese});
    CHECK(found(backend, "が") == Ids{japanese});
    CHECK(found(backend, "か").empty());
    CHECK(found(backend, "ไทย") == Ids{thai});
    CHECK(found(backend, "หาไม่") == Ids{thai});
    CHECK(found(backend, "动 功能").empty());
}

TEST_CASE("users search their own threads without internal notes", "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    auto user = world.as_user(ada), other = world.as_user(bob), admin = world.as_user(bob, "admin");
    auto const own = make(user, "Printing fails");
    auto const foreign = make(other, "Printing works");
    reply(backend, own, "The driver is old", true);
    reply(backend, own, "Please restart");
    CHECK(found(user, "printing") == Ids{own});
    CHECK(found(other, "printing") == Ids{foreign});
    CHECK(found(user, "restart") == Ids{own});
    CHECK(found(user, "driver").empty());
    CHECK(found(user, "printing -driver") == Ids{own});
    CHECK(found(other, "restart").empty());
    CHECK(found(admin, "driver") == Ids{own});
    CHECK(found(backend, "driver printing") == Ids{own});
    CHECK(found(backend, "printing -driver") == Ids{foreign});
    for (std::string const tenant : {"demo", "other-sandbox"}) {
        auto neighbour = world.as_backend(tenant), stranger = world.as_user(ada, "user", tenant);
        CHECK(found(neighbour, "printing").empty());
        CHECK(found(stranger, "printing").empty());
        CHECK(similar(neighbour, "Printing fails").empty());
        CHECK(similar(stranger, "Printing fails").empty());
    }
}

TEST_CASE("a search follows changes and deletions of replies and threads", "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    auto const thread = make(backend, "Thread");
    auto const first = reply(backend, thread, "apple");
    auto const path = "/v1/feedbacks/" + thread + "/replies/" + first;
    REQUIRE(backend.patch(path, R"({"body":"pear"})").status == 200);
    CHECK(found(backend, "apple").empty());
    CHECK(found(backend, "pear") == Ids{thread});
    REQUIRE(backend.del(path).status == 200);
    CHECK(found(backend, "pear").empty());
    CHECK(documents(world) == "1");
    REQUIRE(backend.del("/v1/feedbacks/" + thread).status == 200);
    CHECK(found(backend, "thread").empty());
    CHECK(found(backend, "thread", "&includeDeleted=true") == Ids{thread});
    world.postgres.query("DELETE FROM feedbacks");
    CHECK(documents(world) == "0");
}

TEST_CASE("a search combines with filters and orders", "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    auto const title = make(backend, "Export", "a a a a");
    auto const body = make(backend, "Import", "The export of data");
    auto const both = make(backend, "Export of exports", "export");
    auto const in_reply = make(backend, "Something", "else");
    reply(backend, in_reply, "export");
    reply(backend, title, "x");
    REQUIRE(backend.patch("/v1/feedbacks/" + title, R"({"status":"resolved","tags":["t"]})").status == 200);
    CHECK(found(backend, "export") == Ids{in_reply, both, body, title});
    CHECK(found(backend, "export", "&status=resolved") == Ids{title});
    CHECK(found(backend, "export", "&tag=t&status=open").empty());
    auto by_reply = found(backend, "export", "&sort=lastReplyAt");
    REQUIRE(by_reply.size() == 4);
    CHECK(by_reply[0] == title);
    CHECK(by_reply[1] == in_reply);
    auto const ranked = found(backend, "export", "&sort=relevance");
    REQUIRE(ranked.size() == 4);
    CHECK(ranked[0] == both);
    CHECK(ranked[1] == title);
    CHECK(ranked[2] == body);
    CHECK(ranked[3] == in_reply);
    REQUIRE(backend.put("/v1/feedbacks/" + body + "/votes/eve", "").status == 200);
    auto const voted = found(backend, "export", "&sort=votes");
    REQUIRE(voted.size() == 4);
    CHECK(voted[0] == body);
    CHECK(backend.get("/v1/feedbacks?sort=relevance").status == 400);
    CHECK(backend.get("/v1/feedbacks?sort=relevance&q=a").status == 200);
    CHECK(backend.get("/v1/feedbacks/export?q=import").body.find(body) != std::string::npos);
    CHECK(backend.get("/v1/feedbacks/export?q=import").body.find(title) == std::string::npos);
}

TEST_CASE("a search reads the first 499 replies of a thread", "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    auto const id = make(backend, "Crowded");
    reply(backend, id, "early");
    world.postgres.query(R"(
        INSERT INTO search_documents (scope_id, feedback_id, document_id, created_at, terms)
        SELECT d.scope_id, d.feedback_id, ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
            d.created_at, d.terms
        FROM search_documents d
        CROSS JOIN generate_series(1, 498) AS n
        WHERE d.document_id = d.feedback_id)");
    auto const last = reply(backend, id, "late");
    world.postgres.query(
        "UPDATE search_documents SET document_id = 'ffffffff-ffff-7000-8000-000000000000' WHERE "
        "document_id = '" +
        last + "'");
    CHECK(found(backend, "early") == Ids{id});
    CHECK(found(backend, "late").empty());
}

TEST_CASE("items of a search have highlights", "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    make(backend, "🎉 Café", "No cafés here. A CAFETERIA.");
    auto const item = backend.get("/v1/feedbacks?q=cafe").json().at("items").at(0);
    CHECK(json::serialize(item.at("highlights")) ==
          R"([{"field":"title","start":2,"length":4},{"field":"body","start":3,"length":5},)"
          R"({"field":"body","start":17,"length":9}])");
    CHECK_FALSE(backend.get("/v1/feedbacks").json().at("items").at(0).as_object().contains("highlights"));
}

TEST_CASE("words that are rare, frequent or in the middle are found among thousands of threads",
    "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    insert_many(world, "12000",
        "'Common' || CASE WHEN n % 100 = 0 THEN ' middle' ELSE '' END || CASE WHEN n <= 600 THEN ' old' ELSE "
        "'' END || "
        "CASE WHEN n = 7 THEN ' unique' ELSE '' END || CASE WHEN n = 7 OR n > 11000 THEN ' recent' ELSE '' "
        "END");
    REQUIRE(index_search(world) == 0);
    auto const size = [&](std::string_view q, std::string const& more = {}) {
        return all_items(backend, "/v1/feedbacks?q=" + encoded(q) + more, 100).size();
    };
    CHECK(size("unique") == 1);
    CHECK(size("common unique") == 1);
    CHECK(size("middle") == 120);
    CHECK(size("midd") == 120);
    CHECK(size("old") == 600);
    CHECK(size("old middle") == 6);
    CHECK(size("old -middle") == 594);
    CHECK(size("recent") == 1001);
    CHECK(size("old", "&sort=lastReplyAt") == 600);
    CHECK(size("old", "&sort=votes") == 600);
    CHECK(size("common", "&sort=relevance") == 1000);
    CHECK(size("old", "&sort=relevance") == 600);
    CHECK(size("unique", "&sort=relevance") == 1);
    CHECK(size("common", "&status=closed") == 0);

    auto const ids = found(backend, "middle");
    CHECK(std::set(ids.begin(), ids.end()).size() == 120);
    auto const near = similar(backend, "common unique");
    REQUIRE(near.size() == 10);
    CHECK(text(near[0], "title").find("unique") != std::string::npos);
}

TEST_CASE("the command index-search stores the words of old rows and can be repeated", "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    auto const thread = make(backend, "New");
    reply(backend, thread, "banana");
    reply(backend, thread, "cherry", true);
    auto const before =
        world.postgres.query("SELECT string_agg(d::text, ';' ORDER BY document_id) FROM search_documents d");
    insert_many(world, "1200", "'Old ' || n");
    world.postgres.query("DELETE FROM search_documents");
    CHECK(found(backend, "new").empty());
    REQUIRE(index_search(world) == 0);
    CHECK(documents(world) == "1203");
    CHECK(found(backend, "new banana cherry") == Ids{thread});
    CHECK(found(backend, "old 1200").size() == 1);
    REQUIRE(index_search(world) == 0);
    CHECK(documents(world) == "1203");
    CHECK(world.postgres.query(
              "SELECT string_agg(d::text, ';' ORDER BY document_id) FROM search_documents d WHERE "
              "feedback_id = '" +
              thread + "'") == before);
}

namespace {

core::ScopeId scope_of(World const& world, std::string const& tenant)
{
    return core::ScopeId{std::stoll(world.scope_id(tenant))};
}

constexpr char const* everything = ", true, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 100)";

/// The first lexeme of a document of the scope, as a tsquery in an SQL literal.
std::string lexeme_of(World const& world, core::ScopeId scope)
{
    auto const lexeme = world.postgres.query(
        "SELECT (tsvector_to_array(terms))[1] FROM search_documents WHERE scope_id = " + to_string(scope) +
        " LIMIT 1");
    return "'''" + lexeme + "'''";
}

} // namespace

TEST_CASE(
    "the search function returns only threads of the transaction's scopes", "[feedback][search][isolation]")
{
    World world;
    auto backend = world.as_backend(), neighbour = world.as_backend("other");
    auto const thread = make(backend, "Secret word");
    make(neighbour, "Secret word");
    auto const ours = scope_of(world, "demo-sandbox"), other = scope_of(world, "other");
    testing::ScopedStatements statements(world.postgres, ours, other);
    auto const count = [&](pg::Scopes const& scopes, std::string const& id, std::string const& query) {
        return statements.run(
            scopes, "SELECT count(*) FROM search_threads(" + id + ", " + query + everything);
    };
    auto const own_id = to_string(ours), other_id = to_string(other);
    auto const own = lexeme_of(world, ours), foreign = lexeme_of(world, other);
    CHECK(own != foreign);
    CHECK(count(ours, own_id, own) == "1");
    CHECK(count(ours, own_id, "'!zzz'") == "1");
    CHECK(count(ours, own_id, foreign) == "0");
    CHECK(count(ours, other_id, foreign) == "0");
    CHECK(count(ours, "NULL", foreign) == "0");
    CHECK(count({}, own_id, own) == "0");
    CHECK(count({}, other_id, foreign) == "0");
    CHECK(count(pg::Scopes({ours, other}), other_id, foreign) == "1");
    CHECK(statements.run(ours, "SELECT found_id FROM search_threads(" + own_id + ", " + own + everything) ==
          thread);
    CHECK(statements.seen("search_documents", "true") == "1 0 1 0");
    // Only the service's role may call it.
    CHECK(world.postgres.query(R"(
        SELECT has_function_privilege('public', p.oid, 'EXECUTE')::text || p.prosecdef::text
        FROM pg_proc p
        WHERE p.proname = 'search_threads')") == "falsetrue");
}

TEST_CASE("failures of the search function show no data, and the service cannot change it",
    "[feedback][search][isolation]")
{
    World world;
    auto neighbour = world.as_backend("other");
    make(neighbour, "Secret word");
    auto const ours = scope_of(world, "demo-sandbox"), other = scope_of(world, "other");
    testing::ScopedStatements statements(world.postgres, ours, other);
    auto const call = "SELECT count(*) FROM search_threads(" + to_string(other);
    for (std::string const& sql : {call + ", 'a b', true, now(), gen_random_uuid(), 1)",
             call + ", 'a', true, now(), gen_random_uuid(), -1)",
             call + ", 'a', true, 'x', gen_random_uuid(), 1)",
             std::string("ALTER TABLE search_documents DISABLE ROW LEVEL SECURITY"),
             std::string("DROP TRIGGER feedbacks_deleted ON feedbacks"),
             std::string("ALTER FUNCTION search_threads SECURITY INVOKER"),
             "INSERT INTO search_documents SELECT " + to_string(other) +
                 ", gen_random_uuid(), gen_random_uuid(), now(), false, ''"}) {
        CAPTURE(sql);
        std::string shown;
        try {
            shown = statements.run(ours, sql);
        } catch (std::exception const& failure) {
            shown = failure.what();
        }
        CHECK(shown != "1");
        CHECK(shown.find("secret") == std::string::npos);
    }
    CHECK(statements.seen("search_documents", "true") == "0 0 1 0");
}

TEST_CASE("a search reads the index under row-level security", "[feedback][search]")
{
    World world;
    auto backend = world.as_backend();
    make(backend, "Needle");
    insert_many(world, "4000", "'Hay'");
    REQUIRE(index_search(world) == 0);
    world.postgres.query("ANALYZE search_documents");
    auto const ours = scope_of(world, "demo-sandbox");
    testing::ScopedStatements statements(world.postgres, ours, scope_of(world, "other"));
    auto const scans =
        statements.run(ours, "WITH found AS MATERIALIZED (SELECT count(*) AS n FROM search_threads(" +
                                 to_string(ours) + ", " + lexeme_of(world, ours) + everything + R"()
        SELECT n || ' ' || pg_stat_get_xact_numscans('search_documents_by_term'::regclass) || ' '
            || pg_stat_get_xact_numscans('search_documents'::regclass)
        FROM found)");
    CHECK(scans.ends_with(" 1 0"));
}
