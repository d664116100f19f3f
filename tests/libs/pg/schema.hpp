#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "pg/batcher.hpp"
#include "pg/migrate.hpp"
#include "support/postgres.hpp"

/// The table of the pg tests: `notes(scope_id, id, body)`, protected by scope, and a function
/// `fail_with(code)`.
pg::Component const& notes_schema();

/// A database with that schema and a service role.
testing::Postgres notes_database();

/// Runs `work` and returns the code of the core::Error that it throws; "" if it throws none.
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
void insert_note(pg::Tx& tx, core::ScopeId scope_id, core::Uuid id, std::string const& body);
