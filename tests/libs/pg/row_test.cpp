// Rows of a transaction are text and rows of a batch are binary. Reading both must give the same values.
#include "core/id.hpp"
#include "pg/database.hpp"
#include "pg/row.hpp"
#include "support/postgres.hpp"
#include "support/run_awaitable.hpp"

#include <pqxx/except>

#include <functional>

namespace {

struct Fixture {
    testing::Postgres postgres{"rows"};
    pg::Database database{{.url = postgres.owner_url(), .threads = 1}};

    pg::Rows as_text(std::string const& sql)
    {
        return database.transact_blocking({}, [&](pg::Tx& tx) { return tx.run(sql); });
    }

    pg::Rows as_binary(std::string const& sql)
    {
        auto const run = [&]() -> boost::asio::awaitable<pg::Rows> {
            auto const connection = co_await database.batch_connection();
            co_return co_await connection->run({}, sql, {});
        };
        return testing::run_awaitable(run());
    }

    /// Reads each row of `sql` with `read`, and checks that both forms give the same values.
    template <class Read> auto both(std::string const& sql, Read const& read)
    {
        auto const text = pg::read_rows(as_text(sql), read);
        auto const binary = pg::read_rows(as_binary(sql), read);
        CHECK(text.size() == binary.size());
        CHECK((text == binary));
        return text;
    }

    /// Whether `read` throws a conversion error for both forms of the only row.
    bool both_mismatch(std::string const& sql, std::function<void(pg::RowReader&)> const& read)
    {
        auto const mismatches = [&](auto const& rows) {
            pg::RowReader reader(rows[0]);
            try {
                read(reader);
                return false;
            } catch (pqxx::conversion_error const&) {
                return true;
            }
        };
        auto const text = as_text(sql);
        auto const binary = as_binary(sql);
        return mismatches(text) && mismatches(binary);
    }
};

/// A reader of nullable values, for types without such a function in RowReader.
template <class T> auto optional(T (pg::RowReader::*read)())
{
    return [read](pg::RowReader& row) -> std::optional<T> {
        if (row.is_null()) {
            row.skip();
            return std::nullopt;
        }
        return (row.*read)();
    };
}

/// A query of the values in order, and NULL.
std::string cast_to(std::string const& type, std::string const& values)
{
    return "SELECT v::" + type + " FROM unnest(ARRAY[" + values +
           ", NULL]::text[]) WITH ORDINALITY AS u(v, n) ORDER BY n";
}

} // namespace

TEST_CASE_METHOD(Fixture, "integers of every width are read")
{
    using Values = std::vector<std::optional<std::int64_t>>;
    auto const read = &pg::RowReader::optional_integer;
    CHECK(both(cast_to("smallint", "'0', '-1', '32767', '-32768'"), read) ==
          Values{0, -1, 32767, -32768, std::nullopt});
    CHECK(both(cast_to("integer", "'0', '-1', '2147483647', '-2147483648'"), read) ==
          Values{0, -1, 2147483647, -2147483648, std::nullopt});
    CHECK(both(cast_to("bigint", "'0', '-1', '9223372036854775807', '-9223372036854775808'"), read) ==
          Values{0, -1, INT64_MAX, INT64_MIN, std::nullopt});
    CHECK(both("SELECT count(*) FROM generate_series(1, 3)", &pg::RowReader::integer) == std::vector{3L});
}

TEST_CASE_METHOD(Fixture, "booleans are read")
{
    CHECK(both(cast_to("boolean", "'true', 'false'"), optional(&pg::RowReader::boolean)) ==
          std::vector<std::optional<bool>>{true, false, std::nullopt});
}

TEST_CASE_METHOD(Fixture, "text is read, and types that are read as text")
{
    using Values = std::vector<std::optional<std::string>>;
    auto const read = &pg::RowReader::optional_text;
    for (char const* type : {"text", "varchar", "varchar(100)"}) {
        CHECK(both(cast_to(
                       type, R"('', ' ', 'NULL', 'a''b"c\d', '{a,b}', E'line\nline\ttab', 'Grüße, 世界 🎉')"),
                  read) == Values{"", " ", "NULL", R"(a'b"c\d)", "{a,b}", "line\nline\ttab", "Grüße, 世界 🎉",
                               std::nullopt});
    }
    for (char const* type : {"json", "jsonb"}) {
        CHECK(both(cast_to(type, R"('{"a": [1, null, "ü\n"]}', 'null', '"x"', '[]')"), read) ==
              Values{R"({"a": [1, null, "ü\n"]})", "null", R"("x")", "[]", std::nullopt});
    }
}

TEST_CASE_METHOD(Fixture, "UUIDs are read from text and bytes")
{
    auto const id = core::Uuid::v7();
    CHECK(both(cast_to("uuid", "'" + id.to_string() + "', '00000000-0000-0000-0000-000000000000'"),
              &pg::RowReader::optional_uuid) == std::vector<std::optional<core::Uuid>>{id,
                                                    core::Uuid::parse("00000000-0000-0000-0000-000000000000"),
                                                    std::nullopt});
}

TEST_CASE_METHOD(Fixture, "times of any century are read")
{
    auto const times =
        both(cast_to("timestamptz", "'1970-01-01 00:00:00Z', '2000-01-01 00:00:00Z', "
                                    "'1999-12-31 23:59:59.999999Z', '2026-02-28 12:00:00.000001+02', "
                                    "'0001-01-01 00:00:00Z', '0044-03-15 00:00:00+00 BC', "
                                    "'12026-07-01 00:00:00.5+00', 'infinity', '-infinity'"),
            &pg::RowReader::optional_time);
    REQUIRE(times.size() == 10);
    CHECK(times[0] == core::Time{});
    CHECK(times[3] == core::parse_rfc3339("2026-02-28T10:00:00.000001Z"));
    CHECK(times[7] == core::Time::max());
    CHECK(times[8] == core::Time::min());
    CHECK(times[9] == std::nullopt);
}

TEST_CASE_METHOD(Fixture, "arrays are read")
{
    using Texts = std::vector<std::string>;
    using Values = std::vector<std::optional<Texts>>;
    auto const read = optional(&pg::RowReader::texts);
    auto const id = core::Uuid::v7().to_string();
    Values const texts{Texts{}, Texts{"a"}, Texts{"", "NULL", "a,b", "{", "}", R"(a"b)", R"(a\b)", " "},
        Texts{"Grüße", "世界"}, std::nullopt};
    CHECK(both(cast_to(
                   "text[]", R"('{}', '{a}', '{"","NULL","a,b","{","}","a\"b","a\\b"," "}', '{Grüße,世界}')"),
              read) == texts);
    Values const ids{Texts{}, Texts{id, id}, std::nullopt};
    CHECK(both(cast_to("uuid[]", "'{}', '{" + id + "," + id + "}'"), read) == ids);
}

TEST_CASE_METHOD(Fixture, "bytes are read from both forms with the same result")
{
    std::string every;
    for (int i = 0; i < 256; ++i)
        every += static_cast<char>(i);
    auto const values = both(R"(
        SELECT v
        FROM (
            VALUES (1, ''::bytea),
                (
                    2,
                    (
                        SELECT string_agg(set_byte('\x00', 0, i), '' ORDER BY i)
                        FROM generate_series(0, 255) AS i
                    )
                ),
                (3, NULL)
        ) AS u(n, v)
        ORDER BY n)",
        optional(&pg::RowReader::bytes));
    CHECK(values == std::vector<std::optional<std::string>>{"", every, std::nullopt});
}

TEST_CASE_METHOD(Fixture, "columns are read in sequence, from any start")
{
    std::string const sql = "SELECT 1::bigint, NULL::text, 'three'::text, true, 5::integer";
    auto const all = [](pg::RowReader& row) {
        auto const first = row.integer();
        auto const second = row.optional_text();
        auto const third = row.text();
        row.skip();
        return std::tuple(first, second, third, row.integer());
    };
    CHECK((both(sql, all).at(0) == std::tuple(1L, std::optional<std::string>(), std::string("three"), 5L)));

    auto const from_third = [](auto const& rows) {
        pg::RowReader row(rows[0], 2);
        auto const third = row.text();
        return std::pair(third, row.boolean());
    };
    auto const text = as_text(sql);
    auto const binary = as_binary(sql);
    CHECK((from_third(text) == std::pair(std::string("three"), true)));
    CHECK((from_third(binary) == std::pair(std::string("three"), true)));
}

TEST_CASE_METHOD(Fixture, "the first row is read if there is one")
{
    std::string const some = "SELECT n FROM generate_series(7, 9) AS n ORDER BY n";
    std::string const none = "SELECT n FROM generate_series(1, 0) AS n";
    CHECK(pg::read_first(as_text(some), &pg::RowReader::integer) == 7);
    CHECK(pg::read_first(as_binary(some), &pg::RowReader::integer) == 7);
    CHECK(pg::read_first(as_text(none), &pg::RowReader::integer) == std::nullopt);
    CHECK(pg::read_first(as_binary(none), &pg::RowReader::integer) == std::nullopt);
    CHECK(both(none, &pg::RowReader::integer).empty());
}

TEST_CASE_METHOD(Fixture, "rows are matched to their inputs by number")
{
    std::string const sql = "SELECT * FROM (VALUES (3::bigint, 'c'), (1, 'a')) AS v(place, name)";
    std::vector<std::optional<std::string>> const placed{"a", std::nullopt, "c"};
    CHECK((pg::read_in_input_order(as_text(sql), 3, &pg::RowReader::text) == placed));
    CHECK((pg::read_in_input_order(as_binary(sql), 3, &pg::RowReader::text) == placed));
}

TEST_CASE_METHOD(Fixture, "a value of another type is an error in both forms")
{
    CHECK(both_mismatch("SELECT NULL::bigint", [](pg::RowReader& row) { row.integer(); }));
    CHECK(both_mismatch("SELECT NULL::text", [](pg::RowReader& row) { row.text(); }));
    CHECK(both_mismatch("SELECT 'x'::text", [](pg::RowReader& row) { row.integer(); }));
    CHECK(both_mismatch("SELECT 'x'::text", [](pg::RowReader& row) { row.boolean(); }));
    CHECK(both_mismatch("SELECT 'x'::text", [](pg::RowReader& row) { row.uuid(); }));
    CHECK(both_mismatch("SELECT 'x'::text", [](pg::RowReader& row) { row.time(); }));
    CHECK(both_mismatch("SELECT ARRAY['a', NULL]", [](pg::RowReader& row) { row.texts(); }));
    CHECK(both_mismatch("SELECT ARRAY[['a'], ['b']]", [](pg::RowReader& row) { row.texts(); }));
    CHECK(both_mismatch("SELECT 1::bigint", [](pg::RowReader& row) {
        row.skip();
        row.optional_integer();
    }));
}
