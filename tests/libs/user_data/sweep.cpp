#include "auth/erased_user_rows.hpp"
#include "support.hpp"
#include "support/contexts.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <stdexcept>

using namespace std::chrono_literals;
using testing::eventually;

namespace {

/// A Fixture with the worker of the second erasure.
struct Sweeping : Fixture {
    testing::Contexts contexts{1};

    std::unique_ptr<jobs::Worker> work()
    {
        return std::make_unique<jobs::Worker>(database, clock,
            jobs::WorkerOptions{.queue = user_data::sweep_queue, .threads = 1, .poll = 10ms},
            users.sweep_handler(contexts.all.front()->get_executor()));
    }

    bool swept() const { return count("jobs") == 0; }
};

} // namespace

TEST_CASE("a deleted account is recorded once, with a job for the second erasure after 16 minutes")
{
    Fixture f;
    f.users.add_step(erase_notes);
    std::string const user = "user:ada"; // does not occur in hashes and encrypted values by chance
    f.write(user);
    CHECK(f.erase_deleted(user));
    CHECK(f.count("notes") == 0);
    CHECK(f.postgres.query("SELECT queue || ' ' || scope_id || ' ' || (run_at - jobs_now()) FROM jobs") ==
          "users.sweep 2 00:16:00");
    CHECK(f.postgres.query("SELECT refuse_until - jobs_now() FROM erased_users") == "00:16:00");
    CHECK(f.count("erased_users WHERE position('user:ada' IN erased_users::text) > 0") == 0);

    f.clock.advance(10min);
    f.write(user);
    CHECK_FALSE(f.erase_deleted(user));
    CHECK(f.count("notes") == 0);
    CHECK(f.postgres.query("SELECT run_at - jobs_now() FROM jobs") == "00:06:00");
    CHECK(f.count("erased_users") == 1);
}

TEST_CASE("the account stays recorded if its erasure fails")
{
    Fixture f;
    f.users.add_step([](pg::Tx&, user_data::Erasure const&, std::size_t) -> std::size_t {
        throw std::runtime_error("no");
    });
    CHECK_THROWS(f.erase_deleted());
    CHECK(f.count("erased_users") == 1);
    CHECK(f.count("jobs") == 1);
}

TEST_CASE("the second erasure deletes what was written after the first one, and the encrypted id")
{
    Sweeping f;
    f.users.add_step(erase_notes);
    f.erase_deleted();
    f.write("ada", 1200);
    f.write("bob", 2);
    f.write("ada", 2, f.sandbox);
    auto const worker = f.work();
    f.clock.advance(16min - 1s);
    worker->wake();
    CHECK_FALSE(eventually([&] { return f.swept(); }, 100ms));
    CHECK(f.count("notes") == 1204);
    f.clock.advance(1s);
    worker->wake();
    REQUIRE(eventually([&] { return f.swept(); }));
    CHECK(f.count("notes") == 4);
    CHECK(f.count("notes WHERE user_id = 'ada' AND scope_id = 2") == 0);
    CHECK(f.count("erased_users WHERE sealed_user_id IS NULL") == 1);
}

TEST_CASE("the second erasure uses another pseudonym than the first one")
{
    Sweeping f;
    std::vector<std::string> pseudonyms;
    f.users.add_step([&](pg::Tx&, user_data::Erasure const& erasure, std::size_t) {
        CHECK_FALSE(erasure.anonymizes);
        pseudonyms.push_back(erasure.pseudonym.text());
        return 0;
    });
    f.erase_deleted();
    f.clock.advance(16min);
    auto const worker = f.work();
    REQUIRE(eventually([&] { return f.swept(); }));
    REQUIRE(pseudonyms.size() == 2);
    CHECK(pseudonyms[0] != pseudonyms[1]);
}

TEST_CASE("the second erasure is repeated until it succeeds")
{
    Sweeping f;
    std::atomic<int> failures = 0;
    std::atomic<bool> fails = false;
    f.users.add_step([&](pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit) {
        if (fails) ++failures;
        return fails ? throw std::runtime_error("no") : erase_notes(tx, erasure, limit);
    });
    f.erase_deleted();
    f.write("ada");
    fails = true;
    f.clock.advance(16min);
    auto const worker = f.work();
    REQUIRE(eventually([&] { return failures == 1; }));
    fails = false;
    auto const retried = [&] {
        f.clock.advance(1min);
        worker->wake();
        return f.swept();
    };
    REQUIRE(eventually(retried));
    CHECK(f.count("notes") == 0);
    CHECK(f.count("erased_users WHERE sealed_user_id IS NULL") == 1);
}

TEST_CASE("ids of erased users are encrypted anew until the second erasure, which works with either key")
{
    Sweeping f;
    f.users.add_step(erase_notes);
    f.erase_deleted();
    f.erase_deleted("bob");
    auto const both = crypto::Keyring::parse("two:Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=,"
                                             "one:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    auto const reencrypt = [&](core::Scope const& scope, crypto::Keyring const& keyring) {
        return f.database.transact_blocking(
            scope, [&](pg::Tx& tx) { return user_data::reencrypt(tx, scope, keyring); });
    };
    CHECK(reencrypt(f.sandbox, both) == 0);
    CHECK(reencrypt(f.scope, both) == 2);
    CHECK(reencrypt(f.scope, both) == 0);
    CHECK(f.count("erased_users WHERE sealed_user_id LIKE 'two:%'") == 2);
    CHECK_THROWS(reencrypt(f.scope, f.keyring));

    user_data::UserData users(f.database, both, f.clock);
    users.add_step(erase_notes);
    f.write("ada");
    f.clock.advance(16min);
    jobs::Worker const worker(f.database, f.clock,
        {.queue = user_data::sweep_queue, .threads = 1, .poll = 10ms},
        users.sweep_handler(f.contexts.all.front()->get_executor()));
    REQUIRE(eventually([&] { return f.swept(); }));
    CHECK(f.count("notes") == 0);
}
