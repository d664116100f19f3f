#pragma once

#include "pg/migrate.hpp"

#include <memory>
#include <string>
#include <vector>

namespace testing {

/// A database of the test's own on a real PostgreSQL. The server is private to the test process, started on
/// first use and killed with it; databases are copies of a template, so one takes about 50 ms. Every role is
/// trusted: no passwords.
///
///     testing::Postgres db = testing::Postgres::migrated({&feedback::migrations()}, "feedback");
///     pg::Database database({.url = db.service_url()});
///
/// Create it, and call `start`, from a thread that outlives the server (Linux kills the server with that
/// thread).
class Postgres {
public:
    /// An empty database owned by `<name>_owner`; `<name>_service` is left to the migrations.
    explicit Postgres(std::string const& name = "test");

    /// A database that has been migrated, and the role `<name>_service` able to log in. The first call for a
    /// name migrates; later ones with the same components copy.
    static Postgres migrated(std::vector<pg::Component const*> const& components, std::string const& name);

    ~Postgres(); ///< drops the database; a server that was paused goes on
    Postgres(Postgres&&) noexcept;
    Postgres& operator=(Postgres&&) = delete;

    std::string owner_url() const;     ///< owns the schema, may create roles, is bound by row-level security
    std::string service_url() const;   ///< what the service connects as
    std::string superuser_url() const; ///< sees every row: for looking behind the scenes
    std::string service_url_tcp() const; ///< the same as `service_url`, over TCP instead of the unix socket

    std::string const& service_role() const noexcept { return service_role_; }

    std::string const& database() const noexcept { return database_; }

    /// Runs statements as the superuser on this database and returns the first column of the first row of the
    /// last one ("" when there is none or it is NULL).
    std::string query(std::string const& sql) const;

    /// The server's, on 127.0.0.1.
    unsigned short port() const;

    /// What the whole server has logged so far.
    std::string log() const;

    /// The whole server, which other fixtures of this process share. It keeps its port and its data.
    void stop();  ///< fast shutdown: sessions are ended
    void start(); ///< returns once it takes connections
    void restart();
    void pause(); ///< SIGSTOP to every process of the server: connections stay open and silent
    void resume();
    void kill9(); ///< crash; `start` recovers

private:
    class Server;

    struct Name {
        std::string role, database;
    };

    static std::shared_ptr<Server> const& server();
    explicit Postgres(Name name);

    std::shared_ptr<Server> server_;
    std::string owner_, service_role_, database_;
};

} // namespace testing
