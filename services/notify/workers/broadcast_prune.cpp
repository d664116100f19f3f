#include "workers/broadcast_prune.hpp"

#include "domain/pruning.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "storage/broadcast_pruning.hpp"
#include "storage/carrier_configs.hpp"

namespace notify {

namespace {

constexpr std::size_t page_size = 500; ///< devices per transaction

/// Whether pruning has stopped for the credential of these counts.
bool is_stopped(std::vector<carrier_configs::Sealed> const& configs, broadcast_pruning::Count const& count)
{
    auto const* const config = carrier_configs::find(configs, count.carrier);
    return config != nullptr && config->updated_at == count.stored_at && config->pruning_stopped_at;
}

} // namespace

jobs::Outcome BroadcastPruneHandler::operator()(
    core::Scope const& /*scope*/, jobs::Claim& claim, std::stop_token const& stop) const
{
    judge(claim);
    while (remove_some(claim)) {
        if (stop.stop_requested()) return jobs::Outcome::not_yet(deps_.clock.now());
    }
    return jobs::Outcome::done([scope_id = claim.scope_id, id = claim.ref](
                                   pg::Tx& tx) { broadcast_pruning::end(tx, {scope_id, id}); });
}

/// Decides for each credential whether its gone devices are removed.
void BroadcastPruneHandler::judge(jobs::Claim const& claim) const
{
    broadcasts::Key const key{claim.scope_id, claim.ref};
    deps_.db.transact_blocking(pg::Scopes(claim.scope_id), [&](pg::Tx& tx) {
        auto const configs = carrier_configs::load(tx, claim.scope_id);
        for (auto const& count : broadcast_pruning::counts(tx, key)) {
            bool const suspicious = is_suspicious(count.answered, count.gone);
            if (!suspicious && !is_stopped(configs, count)) continue;
            broadcast_pruning::keep_devices(tx, key, count);
            if (!suspicious) continue;
            carrier_configs::stop_pruning(
                tx, claim.scope_id, count.carrier, count.stored_at, deps_.clock.now());
            deps_.logger.warn("pruning stopped: more than half of a credential's devices were reported gone",
                {{"platform", to_string(count.carrier)}, {"scopeId", core::number(claim.scope_id)}});
        }
    });
}

/// Returns whether more devices may remain.
bool BroadcastPruneHandler::remove_some(jobs::Claim const& claim) const
{
    return deps_.db.transact_blocking(pg::Scopes(claim.scope_id), [&](pg::Tx& tx) {
        auto const gone = broadcast_pruning::take(tx, {claim.scope_id, claim.ref}, page_size);
        devices::prune(tx, claim.scope_id, gone);
        return gone.size() == page_size;
    });
}

} // namespace notify
