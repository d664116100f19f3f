#include "standby.hpp"

#include "support/eventually.hpp"

#include <libpq-fe.h>
#include <pwd.h>
#include <stdexcept>
#include <unistd.h>

using testing::Process;

Standby::Standby(testing::Postgres const& primary)
{
    // Like testing::Postgres: PostgreSQL refuses to run as root.
    std::string const account = geteuid() == 0 ? "postgres" : "";
    if (geteuid() == 0) {
        passwd const* entry = getpwnam("postgres"); // NOLINT(concurrency-mt-unsafe): this is the only thread
        if (!entry || ::chown(directory_.path().c_str(), entry->pw_uid, static_cast<gid_t>(-1)) != 0)
            throw std::runtime_error("chown failed");
    }
    std::string const binaries = "/usr/lib/postgresql/15/bin/", data = directory_.path() + "/data";
    Process copy(
        {.argv = {binaries + "pg_basebackup", "-h", "127.0.0.1", "-p", std::to_string(primary.port()), "-U",
             "postgres", "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"},
            .user = account});
    if (!copy.wait(std::chrono::minutes(2)) || copy.status() != 0)
        throw std::runtime_error("pg_basebackup failed");
    process_ = Process(
        {.argv = {binaries + "postgres", "-D", data, "-k", directory_.path(), "-p", std::to_string(port_),
             "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "shared_buffers=16MB"},
            .user = account});
    auto const url = "host=127.0.0.1 user=postgres dbname=postgres port=" + std::to_string(port_);
    if (!testing::eventually([&] { return PQping(url.c_str()) == PQPING_OK; }))
        throw std::runtime_error("the standby does not start");
}
