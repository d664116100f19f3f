#include "support/pgbouncer.hpp"

#include "support/eventually.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <libpq-fe.h>
#include <stdexcept>

namespace testing {

namespace fs = std::filesystem;

PgBouncer::PgBouncer(Postgres const& postgres, unsigned sessions) : postgres_(postgres)
{
    // Debian installs PgBouncer in a directory that is only in root's PATH.
    constexpr char const* program = "/usr/sbin/pgbouncer";
    std::string const file = directory_.path() + "/pgbouncer.ini";
    // All clients connect with the service's role. A server that was down is retried after a second.
    std::ofstream(file) << "[databases]\n"
                        << postgres.database() << " = " << postgres.service_url() << "\n[pgbouncer]\n"
                        << "listen_addr = 127.0.0.1\nlisten_port = " << port_ << "\nunix_socket_dir =\n"
                        << "auth_type = any\npool_mode = transaction\nserver_login_retry = 1\n"
                        << "default_pool_size = " << sessions << "\n";
    // Like PostgreSQL, PgBouncer refuses to run as root, so another account must be able to read this file.
    fs::permissions(directory_.path(), fs::perms::others_exec, fs::perm_options::add);
    fs::permissions(file, fs::perms::others_read, fs::perm_options::add);
    process_ = Process({.argv = {program, file}, .user = "postgres", .output = directory_.path() + "/log"});
    bool const up = eventually([this] { return !process_.running() || answers(); });
    if (!up || !process_.running()) throw std::runtime_error("pgbouncer does not start: is it installed?");
}

std::string PgBouncer::service_url() const
{
    return "host=127.0.0.1 port=" + std::to_string(port_) + " user=" + postgres_.service_role() +
           " dbname=" + postgres_.database();
}

bool PgBouncer::asked_for()
{
    return std::getenv("TETRAD_TEST_POOLER") != nullptr; // NOLINT(concurrency-mt-unsafe): no code sets it
}

bool PgBouncer::answers() const
{
    return PQping(service_url().c_str()) == PQPING_OK;
}

} // namespace testing
