#include "outbound_webhooks/admission.hpp"

#include <algorithm>

namespace outbound_webhooks {

namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds shortest_pause{500};
constexpr Milliseconds longest_pause{600'000};

/// Multiplies `pause` by a factor between 0.9 and 1.1, so that deliveries do not return all at once.
Milliseconds jittered(Milliseconds pause, std::uint64_t entropy)
{
    return pause - pause / 10 +
           Milliseconds(static_cast<std::int64_t>(entropy % 1024) * (pause.count() / 5) / 1024);
}

} // namespace

Admission::Verdict Admission::offer(Id id, Candidate candidate, Steady::time_point now, std::uint64_t entropy)
{
    bool const slow = is_slow(candidate.webhook, now);
    if (!bytes_.admits(candidate.owner, candidate.bytes))
        return put_off(id, candidate, Reason::memory, now, entropy);
    if (slow && !slow_.admits(candidate.owner)) return put_off(id, candidate, Reason::slow, now, entropy);
    auto& host = hosts_[candidate.host];
    bool const starts = host.in_flight.admits(candidate.owner);
    if (!starts && !host.queue.admits(candidate.owner))
        return put_off(id, candidate, Reason::host, now, entropy);
    bytes_.take(candidate.owner, candidate.bytes);
    auto& held = held_.try_emplace(id, HeldDelivery{.candidate = std::move(candidate)}).first->second;
    if (starts) {
        start(id, held, host, slow);
        return {.id = id, .action = Action::start};
    }
    host.queue.take(held.candidate.owner);
    host.waiting.push_back(id);
    return {.id = id, .action = Action::wait};
}

Admission::Verdict Admission::out_of_memory(Id id, std::uint64_t entropy)
{
    return {.id = id,
        .action = Action::later,
        .reason = Reason::memory,
        .pause = jittered(shortest_pause, entropy)};
}

void Admission::start(Id, HeldDelivery& held, Host& host, bool slow)
{
    host.in_flight.take(held.candidate.owner);
    held.slow = slow;
    if (slow) slow_.take(held.candidate.owner);
    ++in_flight_;
}

std::vector<Admission::Verdict> Admission::finished(
    Id id, std::chrono::nanoseconds took, bool timed_out, Steady::time_point now, std::uint64_t entropy)
{
    auto const node = held_.extract(id);
    auto const& [candidate, was_slow] = node.mapped();
    --in_flight_;
    bytes_.give_back(candidate.owner, candidate.bytes);
    if (was_slow) slow_.give_back(candidate.owner);
    record_attempt(candidate, took, timed_out, now);
    auto const it = hosts_.find(candidate.host);
    auto& host = it->second;
    host.in_flight.give_back(candidate.owner);

    std::vector<Verdict> verdicts;
    std::deque<Id> still_waiting;
    for (Id const next : host.waiting) {
        auto& held = held_.at(next);
        auto const owner = held.candidate.owner;
        if (!host.in_flight.admits(owner)) {
            still_waiting.push_back(next);
            continue;
        }
        host.queue.give_back(owner);
        bool const slow = is_slow(held.candidate.webhook, now);
        if (slow && !slow_.admits(owner)) {
            bytes_.give_back(owner, held.candidate.bytes);
            verdicts.push_back(put_off(next, held.candidate, Reason::slow, now, entropy));
            held_.erase(next);
            continue;
        }
        start(next, held, host, slow);
        verdicts.push_back({.id = next, .action = Action::start});
    }
    host.waiting = std::move(still_waiting);
    if (host.in_flight.used() == 0) hosts_.erase(it); // without attempts in flight, its queue is empty, too
    return verdicts;
}

std::vector<Admission::Id> Admission::drop_waiting()
{
    std::vector<Id> dropped;
    for (auto& [name, host] : hosts_) {
        for (Id const id : std::exchange(host.waiting, {})) {
            auto const node = held_.extract(id);
            auto const& candidate = node.mapped().candidate;
            host.queue.give_back(candidate.owner);
            bytes_.give_back(candidate.owner, candidate.bytes);
            dropped.push_back(id);
        }
    }
    return dropped;
}

bool Admission::is_slow(core::Uuid const& webhook, Steady::time_point now)
{
    auto const it = timed_out_.find(webhook);
    if (it == timed_out_.end()) return false;
    if (it->second > now) return true;
    timed_out_.erase(it);
    return false;
}

void Admission::record_attempt(
    Candidate const& candidate, std::chrono::nanoseconds took, bool timed_out, Steady::time_point now)
{
    auto& pace = pace_of(candidate, now);
    pace.seconds += 0.2 * (std::chrono::duration<double>(took).count() - pace.seconds);
    if (!timed_out) {
        timed_out_.erase(candidate.webhook);
        return;
    }
    if (timed_out_.size() >= max_remembered && !timed_out_.contains(candidate.webhook)) {
        std::erase_if(timed_out_, [&](auto const& entry) { return entry.second <= now; });
        if (timed_out_.size() >= max_remembered) timed_out_.erase(timed_out_.begin());
    }
    timed_out_[candidate.webhook] = now + slow_for;
}

Admission::Pace& Admission::pace_of(Candidate const& candidate, Steady::time_point now)
{
    ScopeAndHost key{candidate.owner.scope, candidate.host};
    if (paces_.size() >= max_remembered && !paces_.contains(key)) {
        std::erase_if(paces_, [&](auto const& entry) { return entry.second.horizon <= now; });
        if (paces_.size() >= max_remembered) paces_.erase(paces_.begin());
    }
    return paces_[std::move(key)];
}

/// Puts off each delivery of a scope to a host until after the scope's previous one, at the pace at which the
/// host accepts deliveries. So the deliveries of a long backlog are not claimed repeatedly before their turn.
Admission::Verdict Admission::put_off(
    Id id, Candidate const& candidate, Reason reason, Steady::time_point now, std::uint64_t entropy)
{
    auto& pace = pace_of(candidate, now);
    std::chrono::duration<double> const gap(pace.seconds / max_in_flight_per_host);
    pace.horizon = std::clamp(pace.horizon, now + shortest_pause, now + longest_pause) +
                   std::chrono::duration_cast<Steady::duration>(gap);
    auto const pause = std::chrono::duration_cast<Milliseconds>(pace.horizon - now);
    return {.id = id, .action = Action::later, .reason = reason, .pause = jittered(pause, entropy)};
}

} // namespace outbound_webhooks
