#pragma once

#include "pg/migrate.hpp"

#include <memory>
#include <string>
#include <vector>

namespace testing {

/// A database for one test on a real PostgreSQL. The server is private to the test process. It is started on
/// first use and killed with the process. Databases are copies of a template, so creating one takes about 50
/// ms. All roles connect without passwords.
///
///     testing::Postgres db = testing::Postgres::migrated({&feedback::migrations()}, "feedback");
///     pg::Database database({.url = db.service_url()});
///
/// Construct it, and call `start`, on a thread that outlives the server, because Linux kills the server when
/// that thread ends.
class Postgres {
public:
    /// An empty database owned by `<name>_owner`; the migrations create `<name>_service`.
    explicit Postgres(std::string const& name = "test");

    /// A migrated database, with the role `<name>_service` able to log in. The first call for a name runs the
    /// migrations. Later calls with the same components copy the result.
    static Postgres migrated(std::vector<pg::Component const*> const& components, std::string const& name);

    ~Postgres(); ///< drops the database, and resumes the server if it is paused
    Postgres(Postgres&&) noexcept;
    Postgres& operator=(Postgres&&) = delete;

    /// The role that owns the schema. It may create roles and is subject to row-level security.
    std::string owner_url() const;
    std::string service_url() const;     ///< the role with which the service connects
    std::string superuser_url() const;   ///< sees every row: for checks that bypass row-level security
    std::string service_url_tcp() const; ///< the same as `service_url`, over TCP instead of the unix socket

    std::string const& service_role() const noexcept { return service_role_; }

    std::string const& database() const noexcept { return database_; }

    /// Runs statements as the superuser on this database. Returns the first column of the first row of the
    /// last statement's result, or "" if there is no row or the value is NULL.
    std::string query(std::string const& sql) const;

    /// The port of the server on 127.0.0.1.
    unsigned short port() const;

    /// The log of the whole server so far.
    std::string log() const;

    /// The following functions affect the whole server, which all fixtures of this process share. The server
    /// keeps its port and its data.
    void stop();  ///< fast shutdown: sessions are ended
    void start(); ///< returns once the server accepts connections
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
