#include "workers/broadcast_run.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// Prevents a job from being due again at once.
constexpr auto least_wait = 1s;

/// Whether the answer does not count as an attempt, because this process ended the push, or because the
/// carrier accepted no more pushes before this one was handed to a connection.
bool uncounted(PushAnswer const& answer) noexcept
{
    if (answer.verdict == Verdict::throttled) return !answer.handed_out;
    return answer.reason == push_reasons::stopped || answer.reason == push_reasons::busy ||
           answer.reason == push_reasons::not_sent;
}

} // namespace

BroadcastRun::BroadcastRun(Chunk const& chunk, core::Time now)
    : chunk_(chunk), run_began_(now), began_(chunk_.began_at.value_or(now)), now_(now)
{
}

BroadcastRun::BroadcastRun(Chunk const& chunk, std::vector<broadcast_chunks::Device> devices,
    std::vector<platforms::Sealed> platforms, core::Time now)
    : BroadcastRun(chunk, now)
{
    platforms_ = std::move(platforms);
    settled_.invalid = chunk_.left - static_cast<std::int64_t>(devices.size());
    for (auto& device : devices)
        sort_out(std::move(device));
}

BroadcastRun BroadcastRun::cancelled(Chunk const& chunk, core::Time now)
{
    BroadcastRun run(chunk, now);
    run.settled_.failed = run.chunk_.left;
    return run;
}

platforms::Sealed const* BroadcastRun::platform_of(PlatformKind kind) const noexcept
{
    auto const it = std::ranges::find(platforms_, kind, &platforms::Sealed::kind);
    return it == platforms_.end() ? nullptr : &*it;
}

void BroadcastRun::sort_out(broadcast_chunks::Device&& device)
{
    auto const* const platform = platform_of(device.kind);
    if (platform == nullptr) {
        ++settled_.failed;
    } else if (device.not_before && *device.not_before > now_) { // this run is for other devices
        leave({device.id, device.tries, device.not_before}, *device.not_before);
    } else if (platform->paused_until && *platform->paused_until > now_) {
        halt(device.kind, std::nullopt);
        wait_for_platform({device.id, device.tries}, *platform->paused_until);
    } else {
        auto& [targets, tries, gone] = lane(device.kind);
        targets.push_back({device.id, device.kind, std::move(device.token)});
        tries.push_back(device.tries);
    }
}

std::vector<PushTarget> BroadcastRun::take_targets(PlatformKind kind)
{
    return std::exchange(lane(kind).targets, {});
}

void BroadcastRun::apply(PlatformKind kind, std::span<PushTarget const> targets,
    std::span<PushAnswer const> answers, core::Time now, std::uint64_t entropy)
{
    now_ = now;
    auto const& tries = lane(kind).tries;
    for (std::size_t i = 0; i < answers.size(); ++i)
        take(kind, targets[i].device_id, tries[i], answers[i], entropy);
}

void BroadcastRun::take(
    PlatformKind kind, std::int64_t device_id, Tries tries, PushAnswer const& answer, std::uint64_t entropy)
{
    switch (answer.verdict) {
    case Verdict::accepted:
        ++settled_.sent;
        return;
    case Verdict::gone:
        return take_gone(kind, device_id, answer);
    case Verdict::refused:
    case Verdict::unknown:
        ++settled_.failed;
        return;
    case Verdict::credential:
        return take_refusal(kind, {device_id, tries}, answer);
    case Verdict::throttled:
    case Verdict::transient:
        break;
    }
    if (uncounted(answer)) {
        auto const at = now_ + answer.retry_after.value_or(0s);
        return try_again({device_id, tries}, now_ < patience_ends() ? std::optional(at) : std::nullopt);
    }
    ++tries.made;
    if (!tries.first) tries.first = run_began_;
    try_again({device_id, tries}, next_try(tries, now_, answer.retry_after, patience_ends(), entropy));
}

void BroadcastRun::take_gone(PlatformKind kind, std::int64_t device_id, PushAnswer const& answer)
{
    ++settled_.invalid;
    core::Time const since = answer.gone_since.value_or(chunk_.read_at);
    lane(kind).gone.push_back({.device_id = device_id, .registered_at = std::min(chunk_.read_at, since)});
}

void BroadcastRun::take_refusal(PlatformKind kind, Waiting const& device, PushAnswer const& answer)
{
    halt(kind, answer.reason);
    wait_for_platform(device, now_ + broadcast_patience);
}

/// Leaves the device for a run at `at`. If `at` is nullopt, there are no more retries, so the device fails.
void BroadcastRun::try_again(Waiting device, std::optional<core::Time> at)
{
    if (!at) {
        ++settled_.failed;
        return;
    }
    device.not_before = at;
    leave(device, *at);
}

/// Leaves the device until the platform has another credential, but at most until `until` or the end of the
/// chunk's patience, whichever is earlier.
void BroadcastRun::wait_for_platform(Waiting const& device, core::Time until)
{
    if (now_ >= patience_ends()) {
        ++settled_.failed;
        return;
    }
    waits_for_platform_ = true;
    leave(device, std::min(until, patience_ends()));
}

/// Leaves the device for a run at `at`, or soon after.
void BroadcastRun::leave(Waiting const& device, core::Time at)
{
    waiting_.push_back(device);
    core::Time const run_at = std::max(at, now_ + least_wait);
    again_ = std::min(again_.value_or(run_at), run_at);
}

void BroadcastRun::halt(PlatformKind kind, std::optional<std::string> refused)
{
    if (std::ranges::find(halted_, kind, &Halted::kind) == halted_.end())
        halted_.push_back({kind, platform_of(kind)->updated_at, std::move(refused)});
}

} // namespace notify
