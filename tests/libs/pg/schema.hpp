#pragma once

#include "pg/coalescer.hpp"
#include "pg/migrate.hpp"
#include "testing/postgres.hpp"

/// The table the tests of pg work on: `notes(scope_id, id, body)`, protected by scope, and a function
/// `fail_with(code)`.
pg::Component const& notes_schema();

/// A database with that schema and a service role.
testing::Postgres notes_database();

/// Runs `work` and returns the core::Error code it throws, "" when it does not.
template <class Work> std::string error_code_of(Work work)
{
    try {
        work();
    } catch (core::Error const& error) {
        return std::string(error.code().name);
    }
    return "";
}

std::int64_t count_notes(pg::Tx& tx);
void insert_note(pg::Tx& tx, std::int64_t scope_id, core::Uuid id, std::string const& body);
