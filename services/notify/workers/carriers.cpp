#include "workers/carriers.hpp"

#include "domain/retry.hpp"
#include "observe/log.hpp"
#include "storage/platform_state.hpp"

namespace notify {

namespace {

/// Whether the carrier's answer was about the device or the push, and not about its own troubles.
bool is_answered(Verdict verdict) noexcept
{
    return verdict == Verdict::accepted || verdict == Verdict::gone || verdict == Verdict::refused;
}

} // namespace

Credential::Ptr Carriers::credential_of(std::int64_t scope_id, platforms::Sealed const& platform)
{
    Version const version{scope_id * 2 + static_cast<std::int64_t>(platform.kind),
        platform.updated_at.time_since_epoch().count()};
    if (auto known = credentials_.find(version)) return known;
    auto opened = platforms::open(deps_.keyring, scope_id, platform);
    credentials_.put(version, opened);
    return opened;
}

void Carriers::count(Credential const& credential, PushAnswer const& answer)
{
    if (!is_answered(answer.verdict) ||
        !breakers_.count(credential.fingerprint(), answer.verdict == Verdict::gone))
        return;
    deps_.logger.warn("over half of a credential's devices are said to be gone: none is removed any more",
        {{"platform", to_string(credential.kind())}, {"reason", answer.reason}});
}

bool Carriers::may_prune(Credential const& credential) const
{
    return breakers_.may_prune(credential.fingerprint());
}

void Carriers::report(std::int64_t scope_id, std::span<Halted const> halted) const
{
    for (auto const& [kind, seen, refused] : halted) {
        if (refused)
            deps_.logger.warn("a carrier refuses a credential, whose platform is paused",
                {{"platform", to_string(kind)}, {"scopeId", scope_id}, {"reason", *refused}});
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

} // namespace notify
