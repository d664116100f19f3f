#include "workers/carriers.hpp"

#include "domain/retry.hpp"
#include "observe/log.hpp"
#include "observe/trace.hpp"
#include "storage/platform_state.hpp"

namespace notify {

namespace {

/// Whether the answer is about the device or the push, rather than an error of the carrier.
bool is_answered(Verdict verdict) noexcept
{
    return verdict == Verdict::accepted || verdict == Verdict::gone || verdict == Verdict::refused;
}

PlatformVersion version_of(std::int64_t scope_id, platforms::Sealed const& platform) noexcept
{
    return {scope_id * 2 + static_cast<std::int64_t>(platform.kind),
        platform.updated_at.time_since_epoch().count()};
}

} // namespace

Credential::Ptr Carriers::credential_of(std::int64_t scope_id, platforms::Sealed const& platform)
{
    auto const version = version_of(scope_id, platform);
    if (auto known = credentials_.find(version)) return known;
    auto opened = platforms::open(deps_.keyring, scope_id, platform);
    credentials_.put(version, opened);
    return opened;
}

void Carriers::count(jobs::Claim const& claim, platforms::Sealed const& platform, PushAnswer const& answer)
{
    if (platform.pruning_stopped_at || !is_answered(answer.verdict) ||
        !breakers_.count(version_of(claim.scope_id, platform), answer.verdict == Verdict::gone))
        return;
    deps_.logger.warn("pruning stopped: more than half of a credential's devices were reported gone",
        {{"platform", to_string(platform.kind)}, {"scopeId", claim.scope_id}, {"reason", answer.reason},
            {"traceId", observe::trace_id_of(claim.traceparent)}});
}

void Carriers::judge(std::int64_t scope_id, platforms::Sealed const& platform,
    std::span<devices::Gone const> gone, Pruning& pruning) const
{
    if (platform.pruning_stopped_at) return;
    if (breakers_.may_prune(version_of(scope_id, platform)))
        pruning.gone.insert(pruning.gone.end(), gone.begin(), gone.end());
    else
        pruning.stopped.push_back({platform.kind, platform.updated_at});
}

void Carriers::report(jobs::Claim const& claim, std::span<Halted const> halted) const
{
    for (auto const& [kind, seen, refused] : halted) {
        if (refused)
            deps_.logger.warn("a carrier refused a credential; its platform is paused",
                {{"platform", to_string(kind)}, {"scopeId", claim.scope_id}, {"reason", *refused},
                    {"traceId", observe::trace_id_of(claim.traceparent)}});
    }
}

bool halt(pg::Tx& tx, std::int64_t scope_id, std::span<Halted const> halted, core::Time now)
{
    bool all = true;
    for (auto const& [kind, seen, refused] : halted) {
        bool const paused =
            refused ? platform_state::pause(tx, scope_id, kind, seen, *refused, now, now + platform_pause)
                    : platform_state::holds(tx, scope_id, kind, seen, now);
        all = all && paused;
    }
    return all;
}

void prune(pg::Tx& tx, std::int64_t scope_id, Pruning const& pruning, core::Time now)
{
    for (auto const& [kind, seen] : pruning.stopped)
        platform_state::stop_pruning(tx, scope_id, kind, seen, now);
    devices::prune(tx, scope_id, pruning.gone);
}

} // namespace notify
