#pragma once

#include "batcher_fixture.hpp"

#include <pqxx/connection>
#include <pqxx/transaction>

#include <functional>
#include <map>

namespace batcher_test {

struct Draft {
    core::ScopeId scope_id;
    core::Uuid id;
    std::string body;
};

using Create = pg::Batcher<Draft, std::string>;

/// The first scope of each tenant.
inline core::ScopeId scope_of(std::size_t number)
{
    return core::ScopeId{2 * static_cast<std::int64_t>(number)};
}

/// The second scope of each tenant.
inline core::ScopeId sandbox_of(std::size_t number)
{
    return core::ScopeId{2 * static_cast<std::int64_t>(number) + 1};
}

/// A lock that another process holds: the advisory lock of a scope, or a row.
class HeldLock {
public:
    HeldLock(testing::Postgres const& postgres, std::string const& sql)
        : connection_(postgres.superuser_url()), transaction_(connection_)
    {
        transaction_.exec(sql);
    }

    static std::string lock_of(core::ScopeId scope_id)
    {
        return "SELECT pg_advisory_xact_lock((83::bigint << 56) | " + core::to_string(scope_id) + ")";
    }

    void release() { transaction_.abort(); }

private:
    pqxx::connection connection_;
    pqxx::work transaction_;
};

struct Blocked {
    explicit Blocked(pg::DatabaseOptions options = {.threads = 2,
                         .queue_timeout = std::chrono::hours(1),
                         .statement_timeout = std::chrono::hours(1)})
        : database([&] {
              options.url = postgres.service_url();
              return options;
          }())
    {
    }

    /// Runs `sql` over (scope_id, id, body), serialised or not. Returns the stored body, or "".
    Create statement(std::string_view sql, bool serialised = true)
    {
        return statement(database, sql, serialised);
    }

    /// As `statement` above, on the database `on`. `begun` is called at the start of each batch.
    static Create statement(
        pg::Database& on, std::string_view sql, bool serialised,
        std::function<void(std::span<Draft const>)> begun = [](auto) {})
    {
        return Create(on,
            [sql, serialised, begun](
                pg::BatchConnection& connection, std::span<Draft const> drafts) -> pg::Batch<std::string> {
                begun(drafts);
                std::vector<pg::Param> const params{
                    pg::column(drafts, [](Draft const& d) { return d.scope_id; }),
                    pg::column(drafts, [](Draft const& d) { return d.id; }),
                    pg::column(drafts, [](Draft const& d) { return std::string_view(d.body); })};
                auto const scopes = pg::scopes_of(drafts);
                pg::Rows const rows = serialised
                                          ? co_await connection.run_with_scope_locks(scopes, sql, params)
                                          : co_await connection.run(scopes, sql, params);
                std::map<core::Uuid, std::string> stored;
                for (pg::Row const row : rows) {
                    pg::RowReader reader(row);
                    auto const id = reader.uuid();
                    stored[id] = reader.text();
                }
                std::vector<std::string> out;
                for (Draft const& draft : drafts)
                    out.push_back(stored[draft.id]);
                co_return out;
            });
    }

    Create inserter(std::function<void(std::span<Draft const>)> begun = [](auto) {})
    {
        return statement(database,
            R"(
            INSERT INTO notes (scope_id, id, body)
            SELECT *
            FROM unnest($1::bigint[], $2::uuid[], $3::text[]) AS u(scope_id, id, body)
            WHERE u.scope_id = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])
            RETURNING id, body)",
            true, std::move(begun));
    }

    static Create updater(pg::Database& on)
    {
        return statement(on,
            R"(
            UPDATE notes n
            SET body = u.body
            FROM unnest($1::bigint[], $2::uuid[], $3::text[]) AS u(scope_id, id, body)
            WHERE n.scope_id = u.scope_id AND n.id = u.id
            RETURNING n.id, n.body)",
            false);
    }

    /// Starts a caller. The returned reference stays valid.
    Outcome& create(Create& batcher, core::ScopeId scope_id, core::Uuid const& id = core::Uuid::v7())
    {
        auto& outcome = outcomes.emplace_back();
        start(ioc, batcher, Draft{scope_id, id, "of " + core::to_string(scope_id)}, outcome);
        return outcome;
    }

    template <class Condition> bool run_until(Condition condition)
    {
        return testing::eventually([&] {
            ioc.restart();
            ioc.poll();
            return condition();
        });
    }

    static bool is_unavailable(Outcome const& outcome)
    {
        return outcome.failure &&
               error_code_of([&] { std::rethrow_exception(outcome.failure); }) == "UNAVAILABLE";
    }

    testing::Postgres postgres = notes_database();
    pg::Database database;
    std::deque<Outcome> outcomes;
    asio::io_context ioc{1};
};

struct Impatient : Blocked {
    Impatient() : Blocked({.threads = 2, .queue_timeout = std::chrono::seconds(2)}) {}
};

} // namespace batcher_test
