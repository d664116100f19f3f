#pragma once

#include "crypto/keyring.hpp"
#include "http/message.hpp"
#include "jobs/worker.hpp"
#include "pg/database.hpp"
#include "support/database_clock.hpp"
#include "support/fake_clock.hpp"
#include "support/postgres.hpp"
#include "support/run_awaitable.hpp"
#include "user_data/user_data.hpp"

#include <string>
#include <vector>

/// The library with the tables of a service, `notes (scope_id, note_id, user_id, text)`, and a clock that
/// only the test moves.
struct Fixture {
    Fixture();
    ~Fixture();

    core::Scope const scope = core::Scope::of(core::TenantId{1}, core::Environment::production, "demo");
    core::Scope const sandbox = core::Scope::of(core::TenantId{1}, core::Environment::sandbox, "demo");

    testing::Postgres postgres;
    pg::Database database{{.url = postgres.service_url(), .threads = 3}};
    testing::FakeClock clock;
    crypto::Keyring const keyring;
    user_data::UserData users{database, keyring, clock};

    /// Adds notes of the user.
    void write(std::string const& user_id, int count = 1) { write(user_id, count, scope); }

    void write(std::string const& user_id, int count, core::Scope const& in);

    user_data::Erasure erasure(std::string const& user_id = "ada") const;

    void erase(std::string const& user_id = "ada") { testing::run_awaitable(users.erase(erasure(user_id))); }

    /// As POST /v1/erasures. Returns whether it was the first call for this user.
    bool erase_deleted(std::string const& user_id = "ada")
    {
        bool first = false;
        auto const erasure = this->erasure(user_id);
        testing::run_awaitable(users.erase_deleted(erasure, [&](pg::Tx&) { first = true; }));
        return first;
    }

    /// The number of rows in a table. `table` may have a condition.
    int count(std::string const& table) const;
};

/// Deletes notes of the user.
std::size_t erase_notes(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Exports the user's notes in pages of two.
user_data::ExportPage export_notes(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position);
