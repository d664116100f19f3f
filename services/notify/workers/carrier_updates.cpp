#include "workers/carrier_updates.hpp"

#include "domain/retry.hpp"
#include "storage/carrier_configs.hpp"

namespace notify {

bool pause(pg::Tx& tx, core::ScopeId scope_id, std::span<PausedCarrier const> carriers, core::Time now)
{
    bool all = true;
    for (auto const& [carrier, seen, refused] : carriers) {
        bool const paused =
            refused ? carrier_configs::pause(tx, scope_id, carrier, seen, *refused, now, now + carrier_pause)
                    : carrier_configs::lock_paused(tx, scope_id, carrier, seen, now);
        all = all && paused;
    }
    return all;
}

} // namespace notify
