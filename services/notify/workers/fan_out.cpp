#include "workers/fan_out.hpp"

#include "pg/database.hpp"
#include "storage/broadcast_chunks.hpp"
#include "storage/broadcasts.hpp"

namespace notify {

namespace {

constexpr std::size_t max_new_chunks = 200; ///< about this number of chunks per transaction

} // namespace

jobs::Outcome FanOutHandler::operator()(
    core::Scope const& /*scope*/, jobs::Claim& claim, std::stop_token const& stop) const
{
    while (add_chunks(claim)) {
        if (stop.stop_requested()) return jobs::Outcome::not_yet(deps_.clock.now());
    }
    return jobs::Outcome::done();
}

jobs::Outcome FanOutHandler::split_mixed(jobs::Claim const& claim) const
{
    core::Time const now = deps_.clock.now();
    return jobs::Outcome::done([=, key = broadcast_chunks::Key{claim.scope_id, claim.ref}](pg::Tx& tx) {
        auto const split = broadcast_chunks::split_mixed(tx, key);
        if (!split) return;
        if (split->unregistered > 0)
            broadcasts::add_settled(
                tx, {{{key.scope_id, split->broadcast_id}, Settled{.invalid = split->unregistered}}});
        broadcasts::complete_if_settled(tx, key.scope_id, split->broadcast_id, now);
    });
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
        auto const size = chunk_size(deps_.broadcast_chunk, remaining->enqueued);
        auto const cut =
            broadcast_chunks::cut(tx, scope_id, remaining->after, remaining->last, size, max_new_chunks);
        broadcast_chunks::insert(tx, scope_id, id, cut.parts);
        std::int64_t devices = 0;
        for (auto const& part : cut.parts)
            devices += part.range.devices;
        broadcasts::add_enqueued(tx, scope_id, id, devices, cut.up_to, cut.all, now);
        broadcasts::complete_if_settled(tx, scope_id, id, now);
        return !cut.all;
    });
}

} // namespace notify
