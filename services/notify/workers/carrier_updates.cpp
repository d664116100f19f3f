#include "workers/carrier_updates.hpp"

#include "domain/retry.hpp"
#include "jobs/queue.hpp"
#include "storage/carrier_configs.hpp"

#include <map>
#include <utility>
#include <vector>

namespace notify {

namespace {

/// Pauses the carrier if it refused the scope's credential. Returns whether the carrier is paused now, and
/// stays paused until this transaction ends.
bool pause(pg::Tx& tx, core::ScopeId scope_id, PausedCarrier const& paused, core::Time now)
{
    auto const& [carrier, seen, refused] = paused;
    return refused ? carrier_configs::pause(tx, scope_id, carrier, seen, *refused, now, now + carrier_pause)
                   : carrier_configs::lock_paused(tx, scope_id, carrier, seen, now);
}

} // namespace

void write_pauses(
    pg::Tx& tx, std::span<PausedRun const> runs, std::string_view (*queue_of)(Carrier), core::Time now)
{
    struct Waiting {
        PausedCarrier carrier;
        std::vector<core::Uuid> jobs;
    };

    std::map<std::pair<core::ScopeId, core::Time>, Waiting> by_credential;
    for (auto const& run : runs) {
        auto const [it, is_new] = by_credential.try_emplace({run.scope_id, run.carrier.seen});
        auto& waiting = it->second;
        if (is_new || run.carrier.refused) waiting.carrier = run.carrier;
        if (run.waiting) waiting.jobs.push_back(*run.waiting);
    }
    for (auto const& [credential, waiting] : by_credential)
        if (!pause(tx, credential.first, waiting.carrier, now))
            jobs::enqueue(tx, queue_of(waiting.carrier.carrier), credential.first, waiting.jobs);
}

} // namespace notify
