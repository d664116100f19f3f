#include "workers/broadcast_chunk_run.hpp"

#include <algorithm>
#include <utility>

namespace notify {

namespace {

using namespace std::chrono_literals;

/// Prevents a job from being due again at once.
constexpr auto least_wait = 1s;

/// When an untried push may be sent: after the time that the carrier asks for, plus up to a quarter of it, so
/// that the waiting chunks do not all come at once.
core::Time when_tried(PushResult const& result, core::Time now, std::uint64_t entropy)
{
    auto const wait =
        std::chrono::milliseconds(std::max<std::chrono::seconds>(result.retry_after.value_or(1s), 1s));
    return now + wait + std::chrono::milliseconds(entropy % static_cast<std::uint64_t>(wait.count() / 4 + 1));
}

/// Whether the device stays in the range of untried devices: its push was not handed out, and may be later.
bool stays(PushResult const& result) noexcept
{
    return !result.handed_out && (result.untried() || result.verdict == Verdict::credential);
}

} // namespace

ChunkRun::ChunkRun(Chunk const& chunk, Carrier carrier, core::Time now)
    : chunk_(chunk), carrier_(carrier), run_began_(now), began_(chunk_.began_at.value_or(now)), now_(now),
      range_{chunk_.range.last + 1, chunk_.range.last, 0}
{
}

ChunkRun::ChunkRun(Chunk const& chunk, Carrier carrier, std::vector<broadcast_chunks::Device> devices,
    std::shared_ptr<carrier_configs::Sealed const> config, core::Time now)
    : ChunkRun(chunk, carrier, now)
{
    config_ = std::move(config);
    settled_.invalid = chunk_.left() - static_cast<std::int64_t>(devices.size());
    for (auto& device : devices)
        classify(std::move(device));
}

ChunkRun ChunkRun::cancelled(Chunk const& chunk, Carrier carrier, core::Time now)
{
    ChunkRun run(chunk, carrier, now);
    run.settled_.failed = run.chunk_.left();
    return run;
}

void ChunkRun::classify(broadcast_chunks::Device&& device)
{
    if (config_ == nullptr) {
        ++settled_.failed;
    } else if (device.not_before && *device.not_before > now_) { // this run is for other devices
        leave({device.id, device.attempts, device.not_before}, *device.not_before);
    } else if (config_->paused_until && *config_->paused_until > now_) {
        pause(std::nullopt);
        if (now_ >= wait_end()) {
            ++settled_.failed;
        } else if (device.in_range) {
            if (range_.devices++ == 0) range_.first = device.id;
            run_at(std::min(*config_->paused_until, wait_end()));
        } else {
            wait_for_credential({device.id, device.attempts}, *config_->paused_until);
        }
    } else {
        targets_.push_back({device.id, carrier_, std::move(device.token), std::move(device.web)});
        pushed_.push_back({device.attempts, device.in_range});
    }
}

void ChunkRun::apply(std::span<PushTarget const> targets, std::span<PushResult const> results, core::Time now,
    std::uint64_t entropy)
{
    now_ = now;
    // The last devices that were not handed out stay a range. The queue hands out pushes in their order, so
    // these are usually all such devices.
    std::size_t from = results.size();
    while (from > 0 && pushed_[from - 1].in_range && stays(results[from - 1]) && may_wait(results[from - 1]))
        --from;
    for (std::size_t i = 0; i < from; ++i)
        apply_one(targets[i].device_id, pushed_[i].attempts, results[i], entropy);
    if (from == results.size()) return;
    keep_range(targets, results, from, entropy);
}

/// Whether an untried push may wait: until `wait_end`, or longer if this process is the reason.
bool ChunkRun::may_wait(PushResult const& result) const
{
    return now_ < wait_end() || result.is_ours();
}

/// Leaves the targets from the index `from` on as a range. The range runs at the earliest time of its
/// devices.
void ChunkRun::keep_range(std::span<PushTarget const> targets, std::span<PushResult const> results,
    std::size_t from, std::uint64_t entropy)
{
    range_.first = targets[from].device_id;
    range_.devices = static_cast<std::int64_t>(targets.size() - from);
    for (auto const& result : results.subspan(from)) {
        bool const refused = result.verdict == Verdict::credential;
        if (refused) pause(result.reason);
        run_at(refused ? std::min(now_ + chunk_carrier_wait, wait_end()) : when_tried(result, now_, entropy));
    }
}

void ChunkRun::apply_one(
    std::int64_t device_id, DeviceAttempts attempts, PushResult const& result, std::uint64_t entropy)
{
    switch (result.verdict) {
    case Verdict::accepted:
        ++settled_.sent;
        return;
    case Verdict::gone:
        return apply_gone(device_id, result);
    case Verdict::refused:
    case Verdict::unknown:
        ++settled_.failed;
        return;
    case Verdict::credential:
        pause(result.reason);
        return wait_for_credential({device_id, attempts}, now_ + chunk_carrier_wait);
    case Verdict::throttled:
    case Verdict::transient:
        break;
    }
    if (result.untried()) {
        return retry({device_id, attempts},
            may_wait(result) ? std::optional(when_tried(result, now_, entropy)) : std::nullopt);
    }
    ++attempts.made;
    if (!attempts.first) attempts.first = run_began_;
    retry(
        {device_id, attempts}, next_device_attempt(attempts, now_, result.retry_after, wait_end(), entropy));
}

void ChunkRun::apply_gone(std::int64_t device_id, PushResult const& result)
{
    ++settled_.invalid;
    core::Time const since = result.gone_since.value_or(chunk_.read_at);
    gone_.push_back({.device_id = device_id, .registered_at = std::min(chunk_.read_at, since)});
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
void ChunkRun::wait_for_credential(Waiting const& device, core::Time until)
{
    if (now_ >= wait_end()) {
        ++settled_.failed;
        return;
    }
    leave(device, std::min(until, wait_end()));
}

/// Leaves the device for a run at `at`, or soon after.
void ChunkRun::leave(Waiting const& device, core::Time at)
{
    waiting_.push_back(device);
    run_at(at);
}

void ChunkRun::run_at(core::Time at)
{
    core::Time const time = std::max(at, now_ + least_wait);
    next_run_ = std::min(next_run_.value_or(time), time);
}

void ChunkRun::pause(std::optional<std::string> refused)
{
    if (!paused_) paused_.emplace(PausedCarrier{carrier_, config_->updated_at, std::move(refused)});
}

} // namespace notify
