#include "pg/database.hpp"
#include "pg/listener.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"
#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <libpq-fe.h>
#include <memory>

// The URL names a primary and its replicas. libpq tries these hosts in order, so after a failover the next
// attempt finds the current primary.

namespace {

std::string port_of(testing::Postgres const& postgres)
{
    std::unique_ptr<PGconn, decltype(&PQfinish)> const connection(
        PQconnectdb(postgres.service_url_tcp().c_str()), &PQfinish);
    return PQport(connection.get());
}

} // namespace

TEST_CASE("if a URL contains several hosts, the reachable and writable host is used")
{
    auto const postgres = notes_database();
    auto const url = "host=127.0.0.1,127.0.0.1 port=" + std::to_string(testing::free_port()) + "," +
                     port_of(postgres) + " target_session_attrs=read-write user=" + postgres.service_role() +
                     " dbname=" + postgres.database();
    pg::Database database({.url = url});
    database.transact_blocking(
        core::ScopeId{2}, [](pg::Tx& tx) { insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "x"); });
    CHECK(postgres.query("SELECT count(*) FROM notes") == "1");
    pg::Listener const listener(url, {}, [] {});
    CHECK(testing::eventually([&] { return listener.live(); }));
}

TEST_CASE("a read-only server is not used if the URL requires a writable one")
{
    auto const postgres = notes_database();
    auto const role = "ALTER ROLE " + postgres.service_role() + " IN DATABASE " + postgres.database();
    postgres.query(role + " SET default_transaction_read_only = on");
    auto const url = postgres.service_url() + " target_session_attrs=read-write";
    auto const write = [&](std::string const& to) {
        pg::Database database({.url = to});
        return error_code_of([&] {
            database.transact_blocking(core::ScopeId{2},
                [](pg::Tx& tx) { insert_note(tx, core::ScopeId{2}, core::Uuid::v7(), "x"); });
        });
    };
    CHECK(write(url) == "UNAVAILABLE");
    postgres.query(role + " RESET default_transaction_read_only");
    CHECK(write(url).empty());
}
