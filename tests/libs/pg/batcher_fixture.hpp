#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "pg/batcher.hpp"
#include "pg/database.hpp"
#include "pg/row.hpp"
#include "schema.hpp"
#include "support/eventually.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace batcher_test {

struct Note {
    core::ScopeId scope;
    core::Uuid id;
    std::string body;
};

namespace asio = boost::asio;

using Key = std::pair<core::ScopeId, core::Uuid>;
using Insert = pg::Batcher<Note, std::string>;
using Get = pg::Batcher<Key, std::optional<std::string>>;

/// The parameters of a batch: scopes and ids, and the scopes whose rows it reads or writes.
struct Columns {
    void add(core::ScopeId scope, core::Uuid id)
    {
        scopes.push_back(scope);
        ids.push_back(id.to_string());
    }

    pg::Scopes visible() const
    {
        std::set<core::ScopeId> const distinct(scopes.begin(), scopes.end());
        return pg::Scopes(std::vector<core::ScopeId>(distinct.begin(), distinct.end()));
    }

    std::vector<core::ScopeId> scopes;
    std::vector<std::string> ids;
};

/// Records the sizes of the batches.
struct Sizes {
    void add(std::size_t size)
    {
        std::lock_guard const lock(mutex);
        sizes.push_back(size);
    }

    std::mutex mutex;
    std::vector<std::size_t> sizes;
};

struct Fixture {
    explicit Fixture(pg::DatabaseOptions options = {.threads = 2})
        : database([&] {
              options.url = postgres.service_url();
              return options;
          }())
    {
    }

    /// Returns the stored bodies.
    Insert inserter()
    {
        return Insert(database,
            [this](pg::BatchConnection& connection, std::span<Note const> notes) -> pg::Batch<std::string> {
                sizes.add(notes.size());
                Columns columns;
                std::vector<std::string> bodies;
                for (Note const& note : notes) {
                    columns.add(note.scope, note.id);
                    bodies.push_back(note.body);
                }
                pg::Rows const rows = co_await connection.run(columns.visible(),
                    R"(
                    INSERT INTO notes (scope_id, id, body)
                    SELECT *
                    FROM unnest($1::bigint[], $2::uuid[], $3::text[])
                    RETURNING scope_id, id, body)",
                    {columns.scopes, columns.ids, bodies});
                std::map<Key, std::string> stored;
                for (pg::Row const row : rows) {
                    pg::RowReader reader(row);
                    auto const scope = reader.scope_id();
                    auto const id = reader.uuid();
                    stored[{scope, id}] = reader.text();
                }
                std::vector<std::string> out;
                for (Note const& note : notes)
                    out.push_back(stored.at({note.scope, note.id}));
                co_return out;
            });
    }

    Get getter()
    {
        return Get(database,
            [this](pg::BatchConnection& connection,
                std::span<Key const> keys) -> pg::Batch<std::optional<std::string>> {
                sizes.add(keys.size());
                Columns columns;
                for (auto const& [scope, id] : keys)
                    columns.add(scope, id);
                pg::Rows const rows = co_await connection.run(columns.visible(),
                    R"(
                    SELECT scope_id, id, body
                    FROM notes
                    JOIN unnest($1::bigint[], $2::uuid[]) AS q(s, i) ON scope_id = s AND id = i)",
                    {columns.scopes, columns.ids});
                std::map<Key, std::string> found;
                for (pg::Row const row : rows) {
                    pg::RowReader reader(row);
                    auto const scope = reader.scope_id();
                    auto const id = reader.uuid();
                    found[{scope, id}] = reader.text();
                }
                std::vector<std::optional<std::string>> out;
                for (Key const& key : keys) {
                    auto const known = found.find(key);
                    out.push_back(known == found.end() ? std::nullopt : std::optional(known->second));
                }
                co_return out;
            });
    }

    testing::Postgres postgres = notes_database();
    Sizes sizes;
    pg::Database database;
};

struct OneThread : Fixture {
    OneThread() : Fixture({.threads = 1}) {}
};

/// Keeps every thread of a database busy until it ends, so that callers have to wait.
class Occupation {
public:
    explicit Occupation(pg::Database& database)
    {
        std::atomic<unsigned> busy = 0;
        unsigned const count = database.options().threads;
        for (unsigned i = 0; i < count; ++i) {
            threads_.emplace_back([&] {
                database.transact_blocking({}, [&](pg::Tx&) {
                    ++busy;
                    ended_.wait(false);
                });
            });
        }
        bool const all_are = testing::eventually([&] { return busy == count; });
        if (!all_are) end();
        REQUIRE(all_are);
    }

    ~Occupation() { end(); }

    Occupation(Occupation const&) = delete;
    Occupation& operator=(Occupation const&) = delete;

    void end()
    {
        ended_ = true;
        ended_.notify_all();
        for (auto& thread : threads_)
            thread.join();
        threads_.clear();
    }

private:
    std::atomic<bool> ended_ = false;
    std::vector<std::thread> threads_;
};

/// The outcome of one caller.
struct Outcome {
    std::string value;
    std::exception_ptr failure;
    bool done = false;
};

template <class In>
void start(asio::io_context& ioc, pg::Batcher<In, std::string>& batcher, In input, Outcome& outcome)
{
    asio::co_spawn(ioc, batcher.run(std::move(input)), [&](std::exception_ptr failure, std::string value) {
        outcome = {std::move(value), std::move(failure), true};
    });
}

} // namespace batcher_test
