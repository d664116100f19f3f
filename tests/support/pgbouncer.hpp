#pragma once

#include "support/postgres.hpp"
#include "support/process.hpp"

#include <string>

namespace testing {

/// A PgBouncer in transaction mode on a free loopback port, in front of one database. Its clients share a few
/// sessions of the server, and each transaction may get a different session. Construct it on a thread that
/// outlives it, because Linux kills the process when that thread ends.
///
///     testing::PgBouncer pooler(postgres, 2);
///     pg::Database database({.url = pooler.service_url(), .transaction_pooling = true});
class PgBouncer {
public:
    /// `sessions`: the number of server sessions. `postgres` must outlive this object.
    PgBouncer(Postgres const& postgres, unsigned sessions);

    /// Like `Postgres::service_url`, but through the pooler.
    std::string service_url() const;

    /// Whether services are to be tested behind a pooler: the variable TETRAD_TEST_POOLER is set.
    static bool asked_for();

private:
    bool answers() const;

    Postgres const& postgres_;
    TemporaryDirectory directory_{"tpool"};
    unsigned short port_ = free_port();
    Process process_;
};

} // namespace testing
