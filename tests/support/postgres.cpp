#include "support/postgres.hpp"

#include "support/eventually.hpp"
#include "support/process.hpp"

#include <pqxx/connection>
#include <pqxx/nontransaction>
#include <pqxx/result>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <libpq-fe.h>
#include <map>
#include <pwd.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace testing {

namespace fs = std::filesystem;

static constexpr char const* binaries = "/usr/lib/postgresql/15/bin/";

/// The account that runs PostgreSQL, which refuses to run as root; "" for our own account.
static std::string account()
{
    return geteuid() == 0 ? "postgres" : "";
}

static uid_t account_id()
{
    if (geteuid() != 0) return geteuid();
    passwd const* entry =
        getpwnam("postgres"); // NOLINT(concurrency-mt-unsafe): before any other thread calls it
    if (!entry) throw std::runtime_error("there is no account postgres: is PostgreSQL installed?");
    return entry->pw_uid;
}

static std::string contents(std::string const& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

static void run(std::vector<std::string> argv, std::string const& log, std::string const& user)
{
    std::string const command = argv[0];
    Process process({.argv = std::move(argv), .user = user, .output = log});
    process.wait(std::chrono::minutes(2));
    if (process.running() || process.status() != 0)
        throw std::runtime_error(command + " failed: " + contents(log));
}

static bool is_usable(std::string const& cluster, uid_t owner)
{
    struct stat status{};
    return ::lstat(cluster.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == owner &&
           fs::exists(cluster + "/PG_VERSION");
}

/// A directory filled by initdb, made once for all test processes of this account.
static std::string initialised_cluster(std::string const& scratch)
{
    uid_t const owner = account_id();
    std::string shared = "/tmp/tetrad-initdb-15-" + std::to_string(owner);
    if (is_usable(shared, owner)) return shared;
    std::string const own = scratch + "/initdb";
    run({std::string(binaries) + "initdb", "--pgdata=" + own, "--username=postgres", "--auth=trust",
            "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"},
        scratch + "/log", account());
    // If two processes run this code, the second rename fails, and the second process uses the result of the
    // first.
    std::error_code error;
    fs::rename(own, shared, error);
    return is_usable(shared, owner) ? shared : own;
}

/// The parent of `pid`, or 0 when there is no such process.
static pid_t parent_of(std::string const& pid)
try {
    std::string const stat = contents("/proc/" + pid + "/stat"); // pid (name) state ppid ...
    auto const name_end = stat.rfind(')');
    if (name_end == std::string::npos || name_end + 4 > stat.size()) return 0;
    return static_cast<pid_t>(std::strtol(stat.c_str() + name_end + 4, nullptr, 10));
} catch (std::ios_base::failure const&) { // the process ended while we read
    return 0;
}

static std::vector<pid_t> children_of(pid_t parent)
{
    std::vector<pid_t> children;
    for (auto const& entry : fs::directory_iterator("/proc")) {
        std::string const name = entry.path().filename();
        bool const is_process = name.find_first_not_of("0123456789") == std::string::npos;
        if (is_process && parent_of(name) == parent)
            children.push_back(static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10)));
    }
    return children;
}

class Postgres::Server {
public:
    Server();
    ~Server();
    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    void start();
    void stop();
    void signal_all(int number);
    void kill9();

    std::string url(std::string const& user, std::string const& database, bool tcp) const;
    void create(std::string const& database, std::string const& owner, std::string const& source);
    void drop(std::string const& database);
    std::string template_for(std::vector<pg::Component const*> const& components, std::string const& name,
        std::string const& owner);
    std::string execute(std::string const& sql, std::string const& database = "postgres") const;

    unsigned next_number() { return ++databases_; }

    std::string log() const { return contents(log_); }

    unsigned short port() const noexcept { return port_; }

private:
    bool answers() const;

    TemporaryDirectory directory_{"tpg", folder_in_memory()};
    std::string const data_ = directory_.path() + "/data";
    std::string const log_ = directory_.path() + "/log";
    unsigned short port_ = free_port();
    Process process_;
    unsigned databases_ = 0;
    std::map<std::pair<std::string, std::vector<pg::Component const*>>, std::string> templates_;
};

Postgres::Server::Server()
{
    if (geteuid() == 0 && ::chown(directory_.path().c_str(), account_id(), static_cast<gid_t>(-1)) != 0)
        throw std::runtime_error("chown failed");
    run({"cp", "-a", "--reflink=auto", initialised_cluster(directory_.path()), data_}, log_, "");
    start();
}

Postgres::Server::~Server()
{
    process_.signal(SIGKILL);
    process_.wait();
}

void Postgres::Server::start()
{
    signal_all(SIGCONT);
    if (process_.running()) return;
    process_ = Process({
        .argv = {std::string(binaries) + "postgres", "-D", data_, "-k", directory_.path(), "-p",
            std::to_string(port_), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c",
            "full_page_writes=off", "-c", "shared_buffers=32MB", "-c", "max_connections=100", "-c",
            "log_min_messages=warning"},
        .user = account(),
        .output = log_,
    });
    bool const up = eventually([this] { return !process_.running() || answers(); }, std::chrono::seconds(30));
    if (!up || !process_.running()) throw std::runtime_error("postgres does not start: " + contents(log_));
}

bool Postgres::Server::answers() const
{
    return PQping(url("postgres", "postgres", false).c_str()) == PQPING_OK;
}

void Postgres::Server::stop()
{
    signal_all(SIGCONT);
    process_.signal(SIGINT); // fast shutdown
    if (!process_.wait()) throw std::runtime_error("postgres does not stop: " + contents(log_));
}

void Postgres::Server::signal_all(int number)
{
    if (!process_.running()) return;
    // The postmaster gets the signal first, so that a stopped postmaster starts no more processes.
    process_.signal(number);
    for (pid_t const child : children_of(process_.pid()))
        ::kill(child, number);
}

void Postgres::Server::kill9()
{
    signal_all(SIGSTOP);
    auto const children = children_of(process_.pid());
    process_.signal(SIGKILL);
    for (pid_t const child : children)
        ::kill(child, SIGKILL);
    process_.wait();
    auto const gone = [&] {
        return std::ranges::all_of(children, [](pid_t pid) { return ::kill(pid, 0) != 0; });
    };
    eventually(gone);
}

std::string Postgres::Server::url(std::string const& user, std::string const& database, bool tcp) const
{
    std::string const host = tcp ? "127.0.0.1" : directory_.path();
    return "host=" + host + " port=" + std::to_string(port_) + " user=" + user + " dbname=" + database;
}

std::string Postgres::Server::execute(std::string const& sql, std::string const& database) const
{
    pqxx::connection connection(url("postgres", database, false));
    pqxx::nontransaction session(connection);
    pqxx::result const result = session.exec(sql);
    return result.empty() || result[0].empty() || result[0][0].is_null() ? "" : result[0][0].c_str();
}

void Postgres::Server::create(
    std::string const& database, std::string const& owner, std::string const& source)
{
    if (execute("SELECT 1 FROM pg_roles WHERE rolname = '" + owner + "'").empty())
        execute("CREATE ROLE " + owner + " LOGIN CREATEROLE");
    execute(
        "CREATE DATABASE " + database + " OWNER " + owner + " TEMPLATE " + source + " STRATEGY file_copy");
}

void Postgres::Server::drop(std::string const& database)
{
    signal_all(SIGCONT); // a failed test may have left it paused
    if (process_.running()) execute("DROP DATABASE IF EXISTS " + database + " WITH (FORCE)");
}

std::string Postgres::Server::template_for(
    std::vector<pg::Component const*> const& components, std::string const& name, std::string const& owner)
{
    auto const [known, added] = templates_.try_emplace({name, components});
    if (!added) return known->second;
    std::string const database = name + "_template_" + std::to_string(next_number());
    create(database, owner, "template1");
    std::string const service = name + "_service";
    pg::migrate(url(owner, database, false), components, service);
    execute("ALTER ROLE " + service + " LOGIN");
    return known->second = database;
}

std::shared_ptr<Postgres::Server> const& Postgres::server()
{
    // The whole process shares one server, because starting a server takes longer than most tests.
    static auto const shared = std::make_shared<Server>();
    return shared;
}

Postgres::Postgres(Name name)
    : server_(server()), owner_(name.role + "_owner"), service_role_(name.role + "_service"),
      database_(std::move(name.database))
{
    server_->start();
}

Postgres::Postgres(std::string const& name)
    : Postgres(Name{name, name + "_" + std::to_string(server()->next_number())})
{
    server_->create(database_, owner_, "template1");
}

Postgres Postgres::migrated(std::vector<pg::Component const*> const& components, std::string const& name)
{
    Postgres copy(Name{name, name + "_" + std::to_string(server()->next_number())});
    copy.server_->create(
        copy.database_, copy.owner_, copy.server_->template_for(components, name, copy.owner_));
    return copy;
}

Postgres::~Postgres()
{
    try {
        if (server_) server_->drop(database_);
    } catch (std::exception const&) { // NOLINT(bugprone-empty-catch): it is removed with the server
    }
}

Postgres::Postgres(Postgres&&) noexcept = default;

std::string Postgres::owner_url() const
{
    return server_->url(owner_, database_, false);
}

std::string Postgres::service_url() const
{
    return server_->url(service_role_, database_, false);
}

std::string Postgres::service_url_tcp() const
{
    return server_->url(service_role_, database_, true);
}

std::string Postgres::superuser_url() const
{
    return server_->url("postgres", database_, false);
}

std::string Postgres::query(std::string const& sql) const
{
    return server_->execute(sql, database_);
}

unsigned short Postgres::port() const
{
    return server_->port();
}

std::string Postgres::log() const
{
    return server_->log();
}

void Postgres::stop()
{
    server_->stop();
}

void Postgres::start()
{
    server_->start();
}

void Postgres::restart()
{
    server_->stop();
    server_->start();
}

void Postgres::pause()
{
    server_->signal_all(SIGSTOP);
}

void Postgres::resume()
{
    server_->signal_all(SIGCONT);
}

void Postgres::kill9()
{
    server_->kill9();
}

} // namespace testing
