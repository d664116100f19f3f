#include "workers/broadcast_chunk_run.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// Prevents a job from being due again at once.
constexpr auto least_wait = 1s;

/// Whether the result does not count as an attempt. Possible reasons: this process ended the push, or the
/// carrier stopped accepting pushes before the push was handed to a connection.
bool uncounted(PushResult const& result) noexcept
{
    if (result.verdict == Verdict::throttled) return !result.handed_out;
    return result.reason == push_reasons::stopped || result.reason == push_reasons::busy ||
           result.reason == push_reasons::not_sent;
}

} // namespace

ChunkRun::ChunkRun(Chunk const& chunk, core::Time now)
    : chunk_(chunk), run_began_(now), began_(chunk_.began_at.value_or(now)), now_(now)
{
}

ChunkRun::ChunkRun(Chunk const& chunk, std::vector<broadcast_chunks::Device> devices,
    std::vector<carrier_configs::Sealed> configs, core::Time now)
    : ChunkRun(chunk, now)
{
    configs_ = std::move(configs);
    settled_.invalid = chunk_.left - static_cast<std::int64_t>(devices.size());
    for (auto& device : devices)
        classify(std::move(device));
}

ChunkRun ChunkRun::cancelled(Chunk const& chunk, core::Time now)
{
    ChunkRun run(chunk, now);
    run.settled_.failed = run.chunk_.left;
    return run;
}

void ChunkRun::classify(broadcast_chunks::Device&& device)
{
    auto const* const config = config_of(device.carrier);
    if (config == nullptr) {
        ++settled_.failed;
    } else if (device.not_before && *device.not_before > now_) { // this run is for other devices
        leave({device.id, device.attempts, device.not_before}, *device.not_before);
    } else if (config->paused_until && *config->paused_until > now_) {
        pause(device.carrier, std::nullopt);
        wait_for_carrier({device.id, device.attempts}, *config->paused_until);
    } else {
        auto& [targets, attempts, gone] = lane(device.carrier);
        targets.push_back({device.id, device.carrier, std::move(device.token)});
        attempts.push_back(device.attempts);
    }
}

std::vector<PushTarget> ChunkRun::take_targets(Carrier carrier)
{
    return std::exchange(lane(carrier).targets, {});
}

void ChunkRun::apply(Carrier carrier, std::span<PushTarget const> targets,
    std::span<PushResult const> results, core::Time now, std::uint64_t entropy)
{
    now_ = now;
    auto const& attempts = lane(carrier).attempts;
    for (std::size_t i = 0; i < results.size(); ++i)
        apply_one(carrier, targets[i].device_id, attempts[i], results[i], entropy);
}

void ChunkRun::apply_one(Carrier carrier, std::int64_t device_id, DeviceAttempts attempts,
    PushResult const& result, std::uint64_t entropy)
{
    switch (result.verdict) {
    case Verdict::accepted:
        ++settled_.sent;
        return;
    case Verdict::gone:
        return apply_gone(carrier, device_id, result);
    case Verdict::refused:
    case Verdict::unknown:
        ++settled_.failed;
        return;
    case Verdict::credential:
        return apply_refusal(carrier, {device_id, attempts}, result);
    case Verdict::throttled:
    case Verdict::transient:
        break;
    }
    if (uncounted(result)) {
        auto const at = now_ + result.retry_after.value_or(0s);
        return retry({device_id, attempts}, now_ < wait_end() ? std::optional(at) : std::nullopt);
    }
    ++attempts.made;
    if (!attempts.first) attempts.first = run_began_;
    retry(
        {device_id, attempts}, next_device_attempt(attempts, now_, result.retry_after, wait_end(), entropy));
}

void ChunkRun::apply_gone(Carrier carrier, std::int64_t device_id, PushResult const& result)
{
    ++settled_.invalid;
    core::Time const since = result.gone_since.value_or(chunk_.read_at);
    lane(carrier).gone.push_back({.device_id = device_id, .registered_at = std::min(chunk_.read_at, since)});
}

void ChunkRun::apply_refusal(Carrier carrier, Waiting const& device, PushResult const& result)
{
    pause(carrier, result.reason);
    wait_for_carrier(device, now_ + chunk_carrier_wait);
}

/// Leaves the device for a run at `at`. If `at` is nullopt, there are no more retries, so the device fails.
void ChunkRun::retry(Waiting device, std::optional<core::Time> at)
{
    if (!at) {
        ++settled_.failed;
        return;
    }
    device.not_before = at;
    leave(device, *at);
}

/// Leaves the device until the scope stores another credential, or until the earlier of `until` and the end
/// of the chunk's wait.
void ChunkRun::wait_for_carrier(Waiting const& device, core::Time until)
{
    if (now_ >= wait_end()) {
        ++settled_.failed;
        return;
    }
    waits_for_carrier_ = true;
    leave(device, std::min(until, wait_end()));
}

/// Leaves the device for a run at `at`, or soon after.
void ChunkRun::leave(Waiting const& device, core::Time at)
{
    waiting_.push_back(device);
    core::Time const run_at = std::max(at, now_ + least_wait);
    next_run_ = std::min(next_run_.value_or(run_at), run_at);
}

void ChunkRun::pause(Carrier carrier, std::optional<std::string> refused)
{
    if (std::ranges::find(paused_carriers_, carrier, &PausedCarrier::carrier) == paused_carriers_.end())
        paused_carriers_.push_back({carrier, config_of(carrier)->updated_at, std::move(refused)});
}

} // namespace notify
