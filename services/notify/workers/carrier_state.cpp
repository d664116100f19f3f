#include "workers/carrier_state.hpp"

#include "observe/log.hpp"
#include "observe/trace.hpp"

namespace notify {

namespace {

/// Whether the result is about the device or the push, rather than an error of the carrier.
bool is_answered(Verdict verdict) noexcept
{
    return verdict == Verdict::accepted || verdict == Verdict::gone || verdict == Verdict::refused;
}

CredentialVersion version_of(core::ScopeId scope_id, carrier_configs::Sealed const& config) noexcept
{
    return {scope_id, config.carrier, config.updated_at};
}

} // namespace

Credential::Ptr CarrierState::credential_of(core::ScopeId scope_id, carrier_configs::Sealed const& config)
{
    auto const version = version_of(scope_id, config);
    if (auto known = credentials_.find(version)) return known;
    auto opened = carrier_configs::open(deps_.keyring, scope_id, config);
    credentials_.put(version, opened);
    return opened;
}

void CarrierState::count(
    jobs::Claim const& claim, carrier_configs::Sealed const& config, PushResult const& result)
{
    if (config.pruning_stopped_at || !is_answered(result.verdict) ||
        !breakers_.count(version_of(claim.scope_id, config), result.verdict == Verdict::gone))
        return;
    deps_.logger.warn("pruning stopped: more than half of a credential's devices were reported gone",
        {{"platform", to_string(config.carrier)}, {"scopeId", core::number(claim.scope_id)},
            {"reason", result.reason}, {"traceId", observe::trace_id_of(claim.traceparent)}});
}

void CarrierState::add_pruning(core::ScopeId scope_id, carrier_configs::Sealed const& config,
    std::span<devices::Gone const> gone, Pruning& pruning) const
{
    if (config.pruning_stopped_at) return;
    if (breakers_.may_prune(version_of(scope_id, config)))
        pruning.gone.insert(pruning.gone.end(), gone.begin(), gone.end());
    else
        pruning.stopped.push_back({config.carrier, config.updated_at});
}

void CarrierState::log_refusals(jobs::Claim const& claim, std::span<PausedCarrier const> carriers) const
{
    for (auto const& [carrier, seen, refused] : carriers) {
        if (refused)
            deps_.logger.warn("a carrier refused a credential; its platform is paused",
                {{"platform", to_string(carrier)}, {"scopeId", core::number(claim.scope_id)},
                    {"reason", *refused}, {"traceId", observe::trace_id_of(claim.traceparent)}});
    }
}

} // namespace notify
