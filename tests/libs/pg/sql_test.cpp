#include "pg/sql.hpp"

#include <catch2/catch.hpp>

TEST_CASE("sql: a statement without parts is its text")
{
    CHECK(std::string_view(pg::sql("SELECT 1")) == "SELECT 1");
    CHECK(std::string_view(pg::sql("")).empty());
}

TEST_CASE("sql: parts replace the names in braces in order")
{
    constexpr auto columns = pg::sql("a, b");
    constexpr auto condition = pg::sql("x.a = $1");
    constexpr auto statement = pg::sql("SELECT {columns} FROM x WHERE {condition}", columns, condition);
    CHECK(std::string_view(statement) == "SELECT a, b FROM x WHERE x.a = $1");
    CHECK(std::string_view(pg::sql("({statement}) AS {columns}", statement, columns)) ==
          "(SELECT a, b FROM x WHERE x.a = $1) AS a, b");
}

TEST_CASE("sql: empty braces are SQL's empty array")
{
    constexpr auto columns = pg::sql("a");
    CHECK(std::string_view(pg::sql("SELECT {columns}, '{}'::text[]", columns)) == "SELECT a, '{}'::text[]");
}
