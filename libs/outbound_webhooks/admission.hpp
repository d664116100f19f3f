#pragma once

#include "core/enum_names.hpp"
#include "core/id.hpp"
#include "core/shares.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace outbound_webhooks {

using core::to_string;

/// Maximum number of deliveries that a replica holds at a time: in flight, or waiting in memory until their
/// host has capacity.
inline constexpr std::size_t max_held = 1'536;
/// Maximum number of deliveries of all tenants that are in flight to one endpoint host (host and port).
inline constexpr std::size_t max_in_flight_per_host = 10;
/// Maximum number of deliveries that wait in memory for one endpoint host.
inline constexpr std::size_t max_waiting_per_host = 40;
/// Maximum number of deliveries in flight to slow endpoints. An endpoint is slow if its last attempt timed
/// out.
inline constexpr std::size_t max_slow = max_held / 8;
/// Maximum number of payload bytes in memory.
inline constexpr std::size_t max_payload_bytes = 32U << 20;
/// An endpoint that timed out counts as slow until another attempt ends without a time-out, but at most for
/// this long.
inline constexpr std::chrono::hours slow_for{1};
/// Maximum number of slow endpoints, and of scope and host pairs with a pace, that are kept in memory.
inline constexpr std::size_t max_remembered = 10'000;

/// Decides whether a delivery starts, waits in memory, or is put off, so that slow or busy endpoints do not
/// delay deliveries to other endpoints. Tenants share each limit, and the environments of a tenant share the
/// tenant's part (core::OwnerShares). The class does no I/O. Not thread-safe.
class Admission {
public:
    using Steady = std::chrono::steady_clock;
    using Id = std::uint64_t;

    /// The properties of a delivery on which the decision depends.
    struct Candidate {
        core::Owner owner;
        std::string host; ///< host and port
        core::Uuid webhook;
        std::size_t bytes = 0; ///< size of its payload
    };

    /// The reason why a delivery is put off.
    enum class Reason { host, slow, memory };

    enum class Action { start, wait, later };

    struct Verdict {
        Id id = 0;
        Action action = Action::start;
        Reason reason = Reason::host;       ///< only if put off
        std::chrono::milliseconds pause{0}; ///< only if put off: time until the next `offer`
    };

    /// Decides whether a delivery starts. A delivery that starts or waits is held until `finished` or
    /// `drop_waiting`. `id` must be unique. `entropy` is any random number.
    Verdict offer(Id id, Candidate candidate, Steady::time_point now, std::uint64_t entropy);

    /// Returns the verdict on a delivery whose payload was not loaded, because the payloads of one claim
    /// exceeded their limit.
    static Verdict out_of_memory(Id id, std::uint64_t entropy);

    /// Records that a started delivery has ended. Returns new verdicts on deliveries that waited for its
    /// host.
    std::vector<Verdict> finished(
        Id id, std::chrono::nanoseconds took, bool timed_out, Steady::time_point now, std::uint64_t entropy);

    /// Removes and returns the waiting deliveries.
    std::vector<Id> drop_waiting();

    std::size_t in_flight() const noexcept { return in_flight_; }

    std::size_t waiting() const noexcept { return held_.size() - in_flight_; }

    std::size_t slow() const noexcept { return slow_.used(); }

private:
    struct HeldDelivery {
        Candidate candidate;
        bool slow = false; ///< whether the delivery counts against the limit for slow endpoints
    };

    struct Host {
        core::OwnerShares in_flight{max_in_flight_per_host, 4, 1};
        core::OwnerShares queue{max_waiting_per_host, 1, 1};
        std::deque<Id> waiting;
    };

    /// The recent pace of a scope's deliveries to a host, and the time until which the last of these
    /// deliveries was put off.
    struct Pace {
        double seconds = 0.2; ///< smoothed duration of an attempt
        Steady::time_point horizon{};
    };

    using ScopeAndHost = std::pair<core::ScopeId, std::string>; ///< scope and host

    struct HashScopeAndHost {
        std::size_t operator()(ScopeAndHost const& key) const noexcept
        {
            return std::hash<std::string>()(key.second) ^ static_cast<std::size_t>(key.first) * 0x9e3779b9U;
        }
    };

    bool is_slow(core::Uuid const& webhook, Steady::time_point now);
    void start(Id id, HeldDelivery& held, Host& host, bool slow);
    Verdict put_off(
        Id id, Candidate const& candidate, Reason reason, Steady::time_point now, std::uint64_t entropy);
    Pace& pace_of(Candidate const& candidate, Steady::time_point now);
    void record_attempt(
        Candidate const& candidate, std::chrono::nanoseconds took, bool timed_out, Steady::time_point now);

    std::unordered_map<Id, HeldDelivery> held_;
    std::unordered_map<std::string, Host> hosts_;
    core::OwnerShares slow_{max_slow, 1, 3};
    core::OwnerShares bytes_{max_payload_bytes, 1, 3};
    std::size_t in_flight_ = 0;
    std::unordered_map<core::Uuid, Steady::time_point> timed_out_; ///< slow until this time
    std::unordered_map<ScopeAndHost, Pace, HashScopeAndHost> paces_;
};

constexpr auto enum_names(Admission::Reason)
{
    return std::to_array<std::string_view>({"host", "slow", "memory"});
}

} // namespace outbound_webhooks
