#include "pg/sql.hpp"

#include <catch2/catch.hpp>

TEST_CASE("sql: a statement without parts is its text")
{
    CHECK(std::string_view(pg::sql("SELECT 1")) == "SELECT 1");
    CHECK(std::string_view(pg::sql("")).empty());
}

TEST_CASE("sql: parts replace the names in braces in order")
{
    static constexpr auto columns = pg::sql("a, b");
    static constexpr auto condition = pg::sql("x.a = $1");
    static constexpr auto statement =
        pg::sql<columns, condition>("SELECT {columns} FROM x WHERE {condition}");
    CHECK(std::string_view(statement) == "SELECT a, b FROM x WHERE x.a = $1");
    CHECK(std::string_view(pg::sql<statement, columns>("({statement}) AS {columns}")) ==
          "(SELECT a, b FROM x WHERE x.a = $1) AS a, b");
}

TEST_CASE("sql: empty braces are SQL's empty array")
{
    static constexpr auto columns = pg::sql("a");
    CHECK(std::string_view(pg::sql<columns>("SELECT {columns}, '{}'::text[]")) == "SELECT a, '{}'::text[]");
}
