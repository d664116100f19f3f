#pragma once

#include "push_results.hpp"
#include "workers/broadcast_chunk_run.hpp"

#include <catch2/catch.hpp>

/// Helpers for tests of ChunkRun.
namespace chunk_run_test {

using namespace std::chrono_literals;
using namespace notify;

inline core::Time const noon = *core::parse_rfc3339("2026-03-01T12:00:00Z");

/// A chunk of the devices 1, 2, …, to which no push was tried.
inline broadcast_chunks::Chunk chunk_of(std::int64_t devices)
{
    broadcast_chunks::Chunk c;
    c.key = {core::ScopeId{2}, core::Uuid::v7()};
    c.broadcast_id = core::Uuid::v7();
    c.range = {1, devices, devices};
    c.read_at = noon;
    return c;
}

/// A later run of a chunk: the first `waiting` devices wait one by one, the others are untried.
inline broadcast_chunks::Chunk later_chunk(std::int64_t waiting, std::int64_t in_range = 0)
{
    auto c = chunk_of(waiting + in_range);
    c.range.first = waiting + 1;
    c.range.devices = in_range;
    c.waiting = waiting;
    c.began_at = noon;
    return c;
}

inline broadcast_chunks::Device device(std::int64_t id)
{
    return {.id = id, .token = "token-" + std::to_string(id)};
}

/// A device that waits for the next run.
inline broadcast_chunks::Device waiting_device(
    std::int64_t id, DeviceAttempts attempts = {}, std::optional<core::Time> not_before = {})
{
    return {.id = id,
        .token = "token-" + std::to_string(id),
        .in_range = false,
        .attempts = attempts,
        .not_before = not_before};
}

inline std::vector<broadcast_chunks::Device> devices_up_to(std::int64_t last)
{
    std::vector<broadcast_chunks::Device> devices;
    devices.reserve(static_cast<std::size_t>(last));
    for (std::int64_t id = 1; id <= last; ++id)
        devices.push_back(device(id));
    return devices;
}

inline std::shared_ptr<carrier_configs::Sealed const> config(std::optional<core::Time> paused_until = {})
{
    auto c = std::make_shared<carrier_configs::Sealed>();
    c->carrier = Carrier::fcm;
    c->updated_at = noon - 1h;
    c->paused_until = paused_until;
    return c;
}

/// A run that pushes to these devices and gets these responses.
inline ChunkRun run_answered(broadcast_chunks::Chunk const& chunk,
    std::vector<broadcast_chunks::Device> devices, std::vector<PushResult> const& results,
    core::Time now = noon)
{
    ChunkRun run(chunk, Carrier::fcm, std::move(devices), config(), now);
    auto const targets = run.take_targets();
    REQUIRE(targets.size() == results.size());
    run.apply(targets, results, now, 0);
    return run;
}

/// The first run of a chunk of the devices 1, 2, …
inline ChunkRun run_answered(std::vector<PushResult> const& results, core::Time now = noon)
{
    auto const count = static_cast<std::int64_t>(results.size());
    return run_answered(chunk_of(count), devices_up_to(count), results, now);
}

inline std::vector<std::int64_t> waiting_ids(ChunkRun const& run)
{
    std::vector<std::int64_t> ids;
    ids.reserve(run.waiting().size());
    for (auto const& device : run.waiting())
        ids.push_back(device.device_id);
    return ids;
}

using Ids = std::vector<std::int64_t>;

inline PushResult const down = untried(Verdict::transient, push_reasons::down, 8s);

/// The numbers of devices: `sent failed invalid waiting`, and `untried` if there is a range.
inline std::string tally(ChunkRun const& run)
{
    auto const& s = run.settled();
    return std::to_string(s.sent) + ' ' + std::to_string(s.failed) + ' ' + std::to_string(s.invalid) + ' ' +
           std::to_string(run.waiting().size()) +
           (run.range().devices > 0 ? ' ' + std::to_string(run.range().devices) : "");
}

} // namespace chunk_run_test
