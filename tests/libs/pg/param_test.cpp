#include "pg/database.hpp"
#include "pg/param.hpp"
#include "pg/row.hpp"
#include "schema.hpp"

#include <pqxx/except>

using namespace std::chrono_literals;

namespace {

/// All values in PostgreSQL's text form.
std::vector<std::optional<std::string>> texts_of(pg::Rows const& rows)
{
    std::vector<std::optional<std::string>> texts;
    for (auto const& row : rows) {
        pg::RowReader reader(row);
        for (std::size_t i = 0; i < rows.columns(); ++i)
            texts.push_back(reader.optional_text());
    }
    return texts;
}

struct Fixture {
    testing::Postgres postgres{"params"};
    pg::Database database{{.url = postgres.owner_url(), .threads = 1}};

    /// Returns the parameters as PostgreSQL received them, once as the first statement of a transaction and
    /// once as a later one.
    pg::Rows echo(std::string const& sql, std::vector<pg::Param> const& params)
    {
        return database.transact_blocking({}, [&](pg::Tx& tx) {
            pg::Rows const first = tx.run(sql, std::span(params));
            pg::Rows const second = tx.run(sql, std::span(params));
            REQUIRE(first.size() == second.size());
            REQUIRE(texts_of(first) == texts_of(second));
            return second;
        });
    }
};

} // namespace

static std::vector<std::string> const nasty{"", " ", "'", "''; DROP TABLE notes; --", "\\", "\\'", "a\\\\b",
    "\"", "{a,b}", "NULL", "null", ",", "{", "}", "(", "line\nline\r\n\ttab", "$1", ":x", "%",
    "Grüße, 世界 🎉", "\u0001\u007f"};

TEST_CASE_METHOD(Fixture, "text arrives unchanged in both directions")
{
    for (std::string const& text : nasty) {
        pg::Rows const result = echo("SELECT $1::text, length($1::text), $2::text", {text, nullptr});
        pg::RowReader row(result[0]);
        CHECK(row.text() == text);
        row.skip();
        CHECK(row.is_null());
        CHECK(row.optional_text() == std::nullopt);
    }
}

TEST_CASE_METHOD(Fixture, "arrays arrive unchanged in both directions")
{
    pg::Rows const result =
        echo("SELECT $1::text[], cardinality($1::text[]), $2::text[], cardinality($2::text[])",
            {nasty, std::vector<std::string>{}});
    pg::RowReader row(result[0]);
    CHECK(row.texts() == nasty);
    CHECK(row.integer() == static_cast<std::int64_t>(nasty.size()));
    CHECK(row.texts().empty());
    CHECK(row.integer() == 0);
}

TEST_CASE_METHOD(Fixture, "the elements of an array may be NULL or arrays")
{
    std::vector<pg::Param> const elements{"NULL", nullptr, nasty, std::vector<std::string>{}};
    pg::Rows const result =
        echo("SELECT q.t, q.t IS NULL FROM unnest($1::text[]) WITH ORDINALITY AS q(t, n) ORDER BY n",
            {pg::Param::array(elements)});
    REQUIRE(result.size() == 4);
    CHECK(pg::RowReader(result[0]).text() == "NULL");
    CHECK(pg::RowReader(result[1]).optional_text() == std::nullopt);
    pg::Rows const nested =
        echo("SELECT ($1::text[])[3]::text[], ($1::text[])[4]::text[]", {pg::Param::array(elements)});
    pg::RowReader row(nested[0]);
    CHECK(row.texts() == nasty);
    CHECK(row.texts().empty());
}

TEST_CASE_METHOD(Fixture, "numbers and booleans arrive unchanged")
{
    std::vector<std::int64_t> const numbers{0, -1, INT64_MAX, INT64_MIN};
    pg::Rows const result =
        echo("SELECT $1::bigint, $2::bigint, $3::bool, $4::bool, $5::bigint[]::text, $6::bigint",
            {INT64_MAX, INT64_MIN, true, false, numbers, std::optional<std::int64_t>()});
    pg::RowReader row(result[0]);
    CHECK(row.integer() == INT64_MAX);
    CHECK(row.integer() == INT64_MIN);
    CHECK(row.boolean());
    CHECK_FALSE(row.boolean());
    CHECK(row.text() == "{0,-1,9223372036854775807,-9223372036854775808}");
    CHECK(row.optional_integer() == std::nullopt);
}

TEST_CASE_METHOD(Fixture, "bytes arrive unchanged")
{
    std::string raw;
    for (int i = 0; i < 512; ++i)
        raw += static_cast<char>(i);
    pg::Rows const result =
        echo("SELECT $1::bytea, length($1::bytea), $2::bytea", {pg::Param::bytes(raw), pg::Param::bytes("")});
    pg::RowReader row(result[0]);
    CHECK(row.bytes() == raw);
    CHECK(row.integer() == 512);
    CHECK(row.bytes().empty());
}

TEST_CASE_METHOD(Fixture, "UUIDs arrive unchanged")
{
    core::Uuid const id = core::Uuid::v7();
    pg::Rows const result = echo("SELECT $1::uuid, $2::uuid, $3::uuid[]",
        {id, std::optional<core::Uuid>(), std::vector<std::string>{id.to_string()}});
    pg::RowReader row(result[0]);
    CHECK(row.uuid() == id);
    CHECK(row.optional_uuid() == std::nullopt);
    CHECK(row.texts() == std::vector<std::string>{id.to_string()});
}

TEST_CASE_METHOD(Fixture, "times keep their microseconds in any century")
{
    auto const day = [](int year, unsigned month, unsigned d) {
        return core::Time(
            std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(d)));
    };
    std::vector<core::Time> const times{core::Time{}, core::Time{1us}, core::Time{-1us},
        day(2026, 2, 28) + 86'399'999'999us, day(2024, 2, 29) + 12h + 100ms, day(1, 1, 1),
        day(0, 12, 31) + 5us, day(-43, 3, 15), day(9999, 12, 31) + 23h, day(12026, 7, 1) + 1ms,
        core::Time::max(), core::Time::min()};
    for (core::Time const time : times) {
        pg::Rows const result =
            echo("SELECT $1::timestamptz, $2::timestamptz", {time, std::optional<core::Time>()});
        pg::RowReader row(result[0]);
        CHECK(row.time() == time);
        CHECK(row.optional_time() == std::nullopt);
    }
}

TEST_CASE_METHOD(Fixture, "PostgreSQL interprets a time as the same instant")
{
    core::Time const time = *core::parse_rfc3339("2026-01-31T23:59:59.123456+02:00");
    pg::Rows const result = echo(R"(
        SELECT $1::timestamptz = '2026-01-31 23:59:59.123456+02'::timestamptz,
            '2026-01-31 23:59:59.123456+02'::timestamptz)",
        {time});
    pg::RowReader row(result[0]);
    CHECK(row.boolean());
    CHECK(row.time() == time);
}

TEST_CASE_METHOD(Fixture, "a column that is read as another type is an error")
{
    pg::Rows const result = echo("SELECT 'x', NULL, 'a,b', ARRAY['a', NULL], ARRAY[['a'], ['b']]", {});
    CHECK_THROWS_AS(pg::RowReader(result[0]).integer(), pqxx::conversion_error);
    CHECK_THROWS_AS(pg::RowReader(result[0]).uuid(), pqxx::conversion_error);
    CHECK_THROWS_AS(pg::RowReader(result[0]).time(), pqxx::conversion_error);
    CHECK_THROWS_AS(pg::RowReader(result[0]).boolean(), pqxx::conversion_error);
    CHECK_THROWS_AS(pg::RowReader(result[0], 1).text(), pqxx::conversion_error);
    CHECK_THROWS_AS(pg::RowReader(result[0], 1).integer(), pqxx::conversion_error);
    CHECK_THROWS_AS(pg::RowReader(result[0], 3).texts(), pqxx::conversion_error);
    CHECK_THROWS_AS(pg::RowReader(result[0], 2).texts(), pqxx::conversion_error);
    CHECK_THROWS_AS(pg::RowReader(result[0], 4).texts(), pqxx::conversion_error);
    CHECK_THROWS_AS(pg::RowReader(result[0], 5).text(), pqxx::conversion_error);
    CHECK_THROWS_AS(pg::RowReader(result[0], 5).optional_text(), pqxx::conversion_error);
}

TEST_CASE_METHOD(Fixture, "U+0000 in a text is refused")
{
    CHECK_THROWS_AS(echo("SELECT $1::text", {std::string("a\0b", 3)}), std::invalid_argument);
}

TEST_CASE("a list of parameters gives the place of each parameter")
{
    Fixture f;
    pg::ParamList params{std::int64_t{7}};
    std::string sql = "SELECT $1::bigint, ";
    sql += params.add("text") + "::text, ";
    sql += params.add(std::nullopt) + "::text";
    auto const row = f.database.transact_blocking({}, [&](pg::Tx& tx) { return tx.run(sql, params); });
    CHECK(sql == "SELECT $1::bigint, $2::text, $3::text");
    CHECK(texts_of(row) == std::vector<std::optional<std::string>>{"7", "text", std::nullopt});
}
