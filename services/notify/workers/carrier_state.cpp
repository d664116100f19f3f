#include "workers/carrier_state.hpp"

#include "observe/log.hpp"
#include "observe/trace.hpp"

namespace notify {

namespace {

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

void CarrierState::count_direct(core::ScopeId scope_id, carrier_configs::Sealed const& config,
    std::span<std::int64_t const> answered, std::span<devices::Gone const> gone)
{
    if (!config.pruning_stopped_at) pruning_.add(version_of(scope_id, config), answered, gone);
}

void CarrierState::log_refusal(jobs::Claim const& claim, PausedCarrier const& carrier)
{
    CredentialVersion const version{claim.scope_id, carrier.carrier, carrier.seen};
    if (!carrier.refused || logged_.find(version)) return;
    logged_.put(version, std::make_shared<Logged const>());
    deps_.logger.warn("a carrier refused a credential; its platform is paused",
        {{"platform", to_string(carrier.carrier)}, {"scopeId", core::number(claim.scope_id)},
            {"reason", *carrier.refused}, {"traceId", observe::trace_id_of(claim.traceparent)}});
}

} // namespace notify
