#include "workers/resume_paused_carrier.hpp"

#include "jobs/queue.hpp"
#include "pg/database.hpp"
#include "storage/broadcast_chunks.hpp"
#include "storage/carrier_configs.hpp"
#include "storage/push_deliveries.hpp"

namespace notify {

namespace {

constexpr std::size_t page_size = 500; ///< pushes per transaction

} // namespace

jobs::Outcome ResumeHandler::operator()(jobs::Claim const& claim, std::stop_token const& stop) const
{
    auto const carrier = carrier_configs::resumed_carrier(claim.ref);
    deps_.db.transact_blocking(pg::Scopes(claim.scope_id),
        [&](pg::Tx& tx) { broadcast_chunks::wake_paused(tx, claim.scope_id, carrier); });
    core::Uuid after;
    while (!stop.stop_requested()) {
        auto const woken = deps_.db.transact_blocking(pg::Scopes(claim.scope_id), [&](pg::Tx& tx) {
            auto const waiting = push_deliveries::list_waiting(tx, claim.scope_id, carrier, after, page_size);
            jobs::enqueue(tx, push_queue_of(carrier), claim.scope_id, waiting);
            return waiting;
        });
        if (woken.size() < page_size) return jobs::Outcome::done();
        after = woken.back();
    }
    return jobs::Outcome::not_yet(deps_.clock.now());
}

} // namespace notify
