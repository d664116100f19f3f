#include "workers/chunk_changes.hpp"

#include "storage/broadcast_pruning.hpp"
#include "storage/broadcasts.hpp"

#include <any>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace notify {

namespace {

using Runs = std::vector<ChunkRun const*>;

broadcasts::Key broadcast_of(ChunkRun const& run)
{
    return {run.chunk().key.scope_id, run.chunk().broadcast_id};
}

/// Whether devices remain. The devices of a cancelled broadcast do not.
bool goes_on(ChunkRun const& run, std::set<broadcasts::Key> const& unfinished)
{
    return run.next_run() && unfinished.contains(broadcast_of(run));
}

std::set<broadcasts::Key> lock_unfinished(pg::Tx& tx, Runs const& runs)
{
    std::set<broadcasts::Key> keys;
    for (auto const* run : runs)
        keys.insert(broadcast_of(*run));
    return broadcasts::lock_unfinished(tx, std::vector(keys.begin(), keys.end()));
}

/// Removes the chunks that are settled, and stores the rests of the others. Returns the chunks that existed.
std::set<broadcast_chunks::Key> write_chunks(
    pg::Tx& tx, Runs const& runs, std::set<broadcasts::Key> const& unfinished)
{
    std::vector<broadcast_chunks::Key> ended;
    std::vector<broadcast_chunks::Rest> rests;
    for (auto const* run : runs) {
        auto const& key = run->chunk().key;
        if (goes_on(*run, unfinished))
            rests.push_back({key, run->range(), run->waiting(), run->paused().has_value(), run->began()});
        else
            ended.push_back(key);
    }
    auto existed = broadcast_chunks::remove(tx, ended);
    existed.merge(broadcast_chunks::keep(tx, rests));
    return existed;
}

void write_counters(pg::Tx& tx, Runs const& runs, std::set<broadcasts::Key> const& unfinished)
{
    std::map<broadcasts::Key, Settled> settled;
    std::map<broadcast_pruning::Credential, broadcast_pruning::Answers> answers;
    for (auto const* run : runs) {
        Settled own = run->settled();
        if (run->next_run() && !goes_on(*run, unfinished))
            own.failed += run->range().devices + static_cast<std::int64_t>(run->waiting().size());
        if (own.sum() > 0) settled[broadcast_of(*run)] += own;
        if (run->config() == nullptr) continue;
        auto const answered = own.sent + static_cast<std::int64_t>(run->gone().size());
        if (answered == 0) continue;
        auto& of_credential = answers[{broadcast_of(*run), run->carrier(), run->config()->updated_at}];
        of_credential.answered += answered;
        of_credential.gone.insert(of_credential.gone.end(), run->gone().begin(), run->gone().end());
    }
    broadcasts::add_settled(tx, settled);
    broadcast_pruning::add(tx, answers);
}

std::vector<PausedRun> paused_of(Runs const& runs, std::set<broadcasts::Key> const& unfinished)
{
    std::vector<PausedRun> paused;
    for (auto const* run : runs) {
        if (!run->paused()) continue;
        auto const& key = run->chunk().key;
        bool const waits = goes_on(*run, unfinished);
        paused.push_back({key.scope_id, *run->paused(), waits ? std::optional(key.id) : std::nullopt});
    }
    return paused;
}

/// Locks the broadcasts first, so that a cancellation and the runs do not overlap.
void write(pg::Tx& tx, Runs runs, core::Time now)
{
    auto const unfinished = lock_unfinished(tx, runs);
    auto const existed = write_chunks(tx, runs, unfinished);
    std::erase_if(runs, [&](ChunkRun const* run) { return !existed.contains(run->chunk().key); });
    write_counters(tx, runs, unfinished);
    write_pauses(tx, paused_of(runs, unfinished), broadcast_chunks::queue_of, now);
    std::set<broadcasts::Key> keys;
    for (auto const* run : runs)
        keys.insert(broadcast_of(*run));
    // These calls come last, because they may take the scope's lock. Holders of the scope's lock never wait
    // for the row of a carrier's configuration, so there is no deadlock.
    for (auto const& key : keys)
        broadcasts::complete_if_settled(tx, key.scope_id, key.id, now);
}

} // namespace

void record_chunk_changes(pg::Tx& tx, std::span<jobs::FinishedRun const* const> runs, core::Time now)
{
    Runs tried;
    std::vector<broadcast_chunks::Key> parked;
    for (auto const* finished : runs) {
        auto const* const change = std::any_cast<ChunkChange>(&finished->note);
        if (change == nullptr) continue; // the chunk does not exist, or its tenant is suspended
        if (change->run)
            tried.push_back(change->run.get());
        else
            parked.push_back(change->key);
    }
    broadcast_chunks::begin(tx, parked, now);
    if (!tried.empty()) write(tx, std::move(tried), now);
}

void fail_chunk(pg::Tx& tx, Carrier carrier, broadcast_chunks::Key const& key, core::Time now)
{
    auto const found = broadcast_chunks::find(tx, {&key, 1});
    if (!found.front()) return;
    auto const run = ChunkRun::cancelled(*found.front(), carrier, now);
    write(tx, {&run}, now);
}

} // namespace notify
