#pragma once

#include "testing/postgres.hpp"
#include "testing/process.hpp"

#include <string>

namespace testing {

/// A PgBouncer in transaction mode on a free loopback port, before one database. Its clients share a few
/// sessions of the server and get any of them for each transaction. Create it from a thread that outlives it.
///
///     testing::PgBouncer pooler(postgres, 2);
///     pg::Database database({.url = pooler.service_url(), .transaction_pooling = true});
class PgBouncer {
public:
    /// `sessions`: how many there are. `postgres` outlives this object.
    PgBouncer(Postgres const& postgres, unsigned sessions);

    /// As `Postgres::service_url`, through the pooler.
    std::string service_url() const;

    /// Whether this process is to test its services behind one: the variable TETRAD_TEST_POOLER is set.
    static bool asked_for();

private:
    bool answers() const;

    Postgres const& postgres_;
    TemporaryDirectory directory_{"tpool"};
    unsigned short port_ = free_port();
    Process process_;
};

} // namespace testing
