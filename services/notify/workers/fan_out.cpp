#include "workers/fan_out.hpp"

#include "pg/database.hpp"
#include "storage/broadcast_chunks.hpp"
#include "storage/broadcasts.hpp"

namespace notify {

namespace {

constexpr std::size_t max_new_chunks = 20; ///< chunks per transaction

} // namespace

jobs::Outcome FanOutHandler::operator()(
    core::Scope const& /*scope*/, jobs::Claim& claim, std::stop_token const& stop) const
{
    while (add_chunks(claim)) {
        if (stop.stop_requested()) return jobs::Outcome::not_yet(deps_.clock.now());
    }
    return jobs::Outcome::done();
}

/// Returns whether devices remain that are in no chunk.
bool FanOutHandler::add_chunks(jobs::Claim& claim) const
{
    core::Time const now = deps_.clock.now();
    auto const scope_id = claim.scope_id;
    auto const id = claim.ref;
    return deps_.db.transact_blocking(pg::Scopes(scope_id), [&](pg::Tx& tx) {
        auto const remaining = broadcasts::lock_remaining(tx, scope_id, id);
        if (!remaining) return false;
        claim.traceparent = remaining->traceparent;
        auto const ranges = broadcast_chunks::split(
            tx, scope_id, remaining->after, remaining->last, deps_.broadcast_chunk, max_new_chunks);
        broadcast_chunks::insert(tx, scope_id, id, ranges);
        std::int64_t devices = 0;
        for (auto const& range : ranges)
            devices += range.devices;
        bool const all = ranges.size() < max_new_chunks;
        std::int64_t const up_to = all ? remaining->last : ranges.back().last;
        broadcasts::add_enqueued(tx, scope_id, id, devices, up_to, all, now);
        broadcasts::complete_if_settled(tx, scope_id, id, now);
        return !all;
    });
}

} // namespace notify
