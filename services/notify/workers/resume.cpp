#include "workers/resume.hpp"

#include "jobs/queue.hpp"
#include "storage/broadcast_chunks.hpp"
#include "storage/deliveries.hpp"
#include "storage/platform_state.hpp"

namespace notify {

namespace {

constexpr std::size_t a_step = 500; ///< pushes per transaction

} // namespace

jobs::Outcome Resume::operator()(jobs::Claim const& claim, std::stop_token const& stop) const
{
    deps_.db.transact_blocking(
        pg::Scopes(claim.scope_id), [&](pg::Tx& tx) { broadcast_chunks::wake_paused(tx, claim.scope_id); });
    auto const kind = platform_state::resumed_kind(claim.ref);
    core::Uuid after;
    while (!stop.stop_requested()) {
        auto const woken = deps_.db.transact_blocking(pg::Scopes(claim.scope_id), [&](pg::Tx& tx) {
            auto const waiting = deliveries::waiting(tx, claim.scope_id, kind, after, a_step);
            jobs::enqueue(tx, queue_of(Channel::push), claim.scope_id, waiting);
            return waiting;
        });
        if (woken.size() < a_step) return jobs::Outcome::done();
        after = woken.back();
    }
    return jobs::Outcome::not_yet(deps_.clock.now());
}

} // namespace notify
