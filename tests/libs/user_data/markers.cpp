#include "support/file.hpp"
#include "support/process.hpp"
#include "support/user_markers.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

// Tests of the helpers with which services test their erasures.

namespace {

using Places = std::vector<testing::MarkedPlace>;
using Names = std::vector<std::string>;

} // namespace

TEST_CASE("a marker is found in columns of every type")
{
    testing::Postgres const postgres;
    postgres.query(R"(
        CREATE TABLE types (number int, name text, document json, tree jsonb, list text[], raw bytea, search tsvector,
                            "time" timestamptz);
        INSERT INTO types VALUES (1, 'x', '{}', '{}', '{}', 'x', '', now());
        CREATE TABLE events (month date NOT NULL, payload text) PARTITION BY RANGE (month);
        CREATE TABLE events_1 PARTITION OF events DEFAULT;
        CREATE TABLE "Other Table" ("a ""column""" text);
        CREATE SCHEMA elsewhere;
        CREATE TABLE elsewhere.hidden (name text);
        INSERT INTO elsewhere.hidden VALUES ('marker'))");
    CHECK(testing::find_marker(postgres, "marker") == Places());
    for (auto const* value : {"name = 'a Marker b'", "document = '{\"a\":[\"marker\"]}'",
             "tree = '{\"marker\":1}'", "list = '{a,marker}'", "raw = '\\x00' || 'marker'::bytea",
             "search = to_tsvector('simple', 'Marker')"}) {
        INFO(value);
        postgres.query(std::string("BEGIN; UPDATE types SET ") + value + "; COMMIT");
        std::string const column(value, std::string_view(value).find(' '));
        CHECK(testing::find_marker(postgres, "marker") == Places{{"types", column}});
        postgres.query(
            "UPDATE types SET name = 'x', document = '{}', tree = '{}', list = '{}', raw = 'x', search = ''");
    }
    postgres.query("INSERT INTO events VALUES (now(), 'marker')");
    CHECK(testing::find_marker(postgres, "marker") == Places{{"events", "payload"}});
    CHECK(testing::find_marker(postgres, "it's") == Places());
}

TEST_CASE("every column that could contain data of a user must be known")
{
    testing::Postgres const postgres;
    postgres.query(R"(
        CREATE TABLE people (person_id uuid, name text, born date, tags text[], photo bytea, status text, active boolean);
        CREATE TABLE jobs (queue text, ref uuid, attempts bigint))");
    CHECK(testing::unknown_columns(postgres, {{"people", "name"}, {"people", "tags"}, {"people", "photo"}},
              {"people.status", "jobs.*"}) == "");
    CHECK(testing::unknown_columns(postgres, {{"people", "name"}, {"people", "tags"}, {"people", "photo"}},
              {"people.status", "jobs.queue"},
              testing::UserIds::uuids) == "jobs.ref is not known\npeople.person_id is not known\n");
    CHECK(testing::unknown_columns(postgres, {{"people", "name"}}, {"people.status"}) ==
          "jobs.queue is not known\npeople.photo is not known\npeople.tags is not known\n");
    CHECK(testing::unknown_columns(postgres, {{"people", "name"}, {"people", "tags"}, {"people", "photo"}},
              {"people.status", "people.name", "jobs.*", "gone.*"}) ==
          "people.name contains data of a user, but people.name is listed\ngone.* is listed but does not "
          "exist\n");
}

TEST_CASE("a marker is found in names and values of Redis")
{
    testing::Redis const redis;
    for (std::vector<std::string> const& command :
        std::vector<std::vector<std::string>>{{"SET", "plain", "a marker"}, {"SET", "name:{marker}", "1"},
            {"SET", "other", "x"}, {"HSET", "hash", "field", "marker"}, {"HSET", "fields", "marker", "1"},
            {"RPUSH", "list", "a", "marker"}, {"SADD", "set", "marker"}, {"ZADD", "sorted", "1", "marker"},
            {"XADD", "stream", "*", "field", "marker"}})
        redis.ask(command);
    CHECK(testing::find_marker(redis, "marker") ==
          Names{"fields", "hash", "list", "name:{marker}", "plain", "set", "sorted", "stream"});
    CHECK(testing::find_marker(redis, "nothing") == Names());
}

TEST_CASE("a marker is found in names and contents of files")
{
    testing::TemporaryDirectory const folder("markers");
    auto const path = folder.path() + "/blobs";
    CHECK(testing::find_marked_files(path, "marker") == Names());
    std::filesystem::create_directories(path + "/1/marker");
    testing::write_file(path + "/1/a", "x");
    testing::write_file(path + "/1/b", std::string("\0marker", 7));
    CHECK(testing::find_marked_files(path, "marker") == Names{path + "/1/b", path + "/1/marker"});
}
