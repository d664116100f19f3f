#pragma once

#include "support/postgres.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace testing {

/// Holds a scope's advisory lock until this object is destroyed, like another process that creates objects in
/// the scope.
class HeldScope {
public:
    HeldScope(Postgres const& postgres, std::string const& scope_id)
        : connection_(postgres.superuser_url()), transaction_(connection_)
    {
        transaction_.exec("SELECT pg_advisory_xact_lock((83::bigint << 56) | " + scope_id + ")");
    }

private:
    pqxx::connection connection_;
    pqxx::work transaction_;
};

/// Checks that creations in other scopes succeed while those in `scope_id` wait for its lock. Each callback
/// must create a new object, return the status of the response, and be thread-safe. `created` is the status
/// of success.
inline void check_held_scope(Postgres const& postgres, std::string const& scope_id, unsigned created,
    std::function<unsigned(int n)> const& create_held, std::function<unsigned(int n)> const& create_elsewhere)
{
    std::atomic<bool> stop = false;
    std::atomic<int> number = 0, answered = 0, done = 0, others = 0;
    std::atomic<unsigned> unexpected = 0;
    std::vector<std::thread> held_up;
    {
        HeldScope const held(postgres, scope_id);
        for (int i = 0; i < 8; ++i) {
            held_up.emplace_back([&] {
                while (!stop) {
                    unsigned const status = create_held(++number);
                    if (status == created)
                        ++done;
                    else if (status != 503)
                        unexpected = status;
                    ++answered;
                }
            });
        }
        std::vector<std::thread> free;
        for (int i = 0; i < 4; ++i) {
            free.emplace_back([&] {
                // The loop runs until some blocked requests have been answered, because many batches with
                // other scopes have run by then.
                for (int n = 0; n < 20 || answered < 8; ++n) {
                    if (create_elsewhere(++number) != created) ++others;
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                }
            });
        }
        for (auto& thread : free)
            thread.join();
        CHECK(others == 0);
        CHECK(done == 0);
        CHECK(unexpected == 0);
    }
    stop = true;
    for (auto& thread : held_up)
        thread.join();
    CHECK(create_held(++number) == created);
}

} // namespace testing
