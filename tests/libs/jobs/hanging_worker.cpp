// Claims one job of queue `crash` with a lease of three seconds, records the claim in a row of table
// `witness`, and hangs.
#include "jobs/worker.hpp"
#include "pg/database.hpp"

#include <chrono>
#include <semaphore>
#include <thread>

int main(int argc, char** argv)
{
    if (argc != 2) return 2;
    core::SystemClock const clock;
    pg::Database database({.url = argv[1], .application_name = "victim", .threads = 2});
    jobs::WorkerOptions const options{.queue = "crash", .threads = 1, .lease = std::chrono::seconds(3)};
    jobs::Worker const worker(
        database, clock, options, [&](jobs::Claim const& claim, std::stop_token const&) {
            database.transact_blocking(pg::Scopes{}, [&](pg::Tx& tx) {
                tx.run("INSERT INTO witness (who, ref, attempts) VALUES ('victim', $1, $2)",
                    {claim.ref, claim.attempts});
            });
            std::binary_semaphore(0).acquire();
            return jobs::Outcome::done();
        });
    std::this_thread::sleep_for(std::chrono::minutes(1));
    return 0;
}
