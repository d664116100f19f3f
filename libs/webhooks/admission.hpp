#pragma once

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

namespace webhooks {

/// Deliveries that a replica works on at once: in flight, or waiting for their host.
inline constexpr std::size_t places = 1'536;
/// Of them in flight to one endpoint host (host and port), over all tenants.
inline constexpr std::size_t places_per_host = 10;
/// Of them waiting in memory for one endpoint host.
inline constexpr std::size_t waiting_per_host = 40;
/// Of them in flight to endpoints whose last attempt timed out.
inline constexpr std::size_t slow_places = places / 8;
/// Bytes of payloads in memory.
inline constexpr std::size_t payload_bytes = 32U << 20;
/// An endpoint that timed out counts as slow until another attempt ends otherwise, or this has passed.
inline constexpr std::chrono::hours slow_memory{1};
/// Slow endpoints, and paces, remembered.
inline constexpr std::size_t remembered = 10'000;

/// Decides which deliveries start, which wait for a moment, and which are put off, so that endpoints that are
/// slow or busy keep no other's deliveries waiting. Each bound is shared among tenants, and each tenant's
/// share among its environments (core::OwnerShares). No I/O; not safe from several threads.
class Admission {
public:
    using Steady = std::chrono::steady_clock;
    using Id = std::uint64_t;

    /// What a delivery is to be judged by.
    struct Candidate {
        core::Owner owner;
        std::string host; ///< host and port
        core::Uuid webhook;
        std::size_t bytes = 0; ///< of its payload
    };

    /// Why a delivery is put off.
    enum class Reason { host, slow, memory };

    enum class Place { start, wait, later };

    struct Verdict {
        Id id = 0;
        Place place = Place::start;
        Reason reason = Reason::host;       ///< later only
        std::chrono::milliseconds pause{0}; ///< later only: until it is to be offered again
    };

    /// Judges a delivery. One that starts or waits is held until `finished` or `drop_waiting`; `id` is new.
    /// `entropy`: any random number.
    Verdict offer(Id id, Candidate candidate, Steady::time_point now, std::uint64_t entropy);

    /// How one that could not even be loaded is put off.
    static Verdict out_of_memory(Id id, std::uint64_t entropy);

    /// A started delivery has ended. Returns the verdicts on the deliveries that waited for its place.
    std::vector<Verdict> finished(
        Id id, std::chrono::nanoseconds took, bool timed_out, Steady::time_point now, std::uint64_t entropy);

    /// Removes and returns the waiting deliveries.
    std::vector<Id> drop_waiting();

    std::size_t in_flight() const noexcept { return in_flight_; }

    std::size_t waiting() const noexcept { return held_.size() - in_flight_; }

    std::size_t slow() const noexcept { return slow_.used(); }

private:
    struct Held {
        Candidate candidate;
        bool slow = false; ///< started in the slow lane
    };

    struct Host {
        core::OwnerShares flying{places_per_host, 4, 1};
        core::OwnerShares queue{waiting_per_host, 1, 1};
        std::deque<Id> waiting;
    };

    /// How fast a scope's deliveries to a host have ended, and up to when deliveries were put off.
    struct Pace {
        double seconds = 0.2; ///< that an attempt takes, smoothed
        Steady::time_point horizon{};
    };

    using Lane = std::pair<std::int64_t, std::string>; ///< scope and host

    struct HashLane {
        std::size_t operator()(Lane const& lane) const noexcept
        {
            return std::hash<std::string>()(lane.second) ^ static_cast<std::size_t>(lane.first) * 0x9e3779b9U;
        }
    };

    bool is_slow(core::Uuid const& webhook, Steady::time_point now);
    void start(Id id, Held& held, Host& host, bool slow);
    Verdict put_off(
        Id id, Candidate const& candidate, Reason reason, Steady::time_point now, std::uint64_t entropy);
    Pace& pace_of(Candidate const& candidate, Steady::time_point now);
    void learn(
        Candidate const& candidate, std::chrono::nanoseconds took, bool timed_out, Steady::time_point now);

    std::unordered_map<Id, Held> held_;
    std::unordered_map<std::string, Host> hosts_;
    core::OwnerShares slow_{slow_places, 1, 3};
    core::OwnerShares bytes_{payload_bytes, 1, 3};
    std::size_t in_flight_ = 0;
    std::unordered_map<core::Uuid, Steady::time_point> timed_out_; ///< until when
    std::unordered_map<Lane, Pace, HashLane> paces_;
};

std::string_view to_string(Admission::Reason reason) noexcept;

} // namespace webhooks
