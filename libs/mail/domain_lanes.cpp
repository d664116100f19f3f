#include "mail/domain_lanes.hpp"

#include <algorithm>
#include <utility>

namespace mail {

using namespace std::chrono_literals;

std::string DomainLanes::lane_of(core::TenantId tenant, std::string_view address)
{
    return core::to_string(tenant).append(address.substr(address.rfind('@')));
}

DomainLanes::End DomainLanes::end_of(SendResult const& sent)
{
    if (sent.outcome == Outcome::accepted) return End::accepted;
    if (sent.outcome != Outcome::transient || !concerns_message(sent)) return End::other;
    auto const& code = sent.enhanced_code;
    bool const is_throttle =
        sent.code == 421 || code.starts_with("4.7.") || code == "4.3.2" || code == "4.4.5";
    return is_throttle ? End::throttled : End::other;
}

asio::awaitable<std::optional<std::chrono::milliseconds>> DomainLanes::enter(std::string domain)
{
    for (;;) {
        auto const now = std::chrono::steady_clock::now();
        if (!lanes_.contains(domain) && !has_room(now)) co_return std::nullopt;
        Lane& lane = lanes_[domain];
        if (now < lane.paused_until)
            co_return std::chrono::ceil<std::chrono::milliseconds>(lane.paused_until - now);
        if (lane.in_flight < lane.limit) {
            ++lane.in_flight;
            co_return std::nullopt;
        }
        co_await core::suspend(
            [&lane](core::Suspended caller) { lane.waiting.push_back(std::move(caller)); });
    }
}

void DomainLanes::leave(std::string const& domain, End end, Time now)
{
    auto const it = lanes_.find(domain);
    if (it == lanes_.end()) return;
    Lane& lane = it->second;
    // An email that entered when there was no room is not counted.
    if (lane.in_flight > 0) --lane.in_flight;
    if (end == End::accepted) {
        lane.limit = std::min(lane.limit + 1, most);
        lane.pause = first_pause;
    } else if (end == End::throttled && now >= lane.paused_until) {
        lane.limit = std::max<std::size_t>(1, lane.limit / 2);
        lane.paused_until = now + lane.pause;
        lane.pause = std::min(lane.pause * 2, longest_pause);
    }
    // During a pause, all waiting emails are put off. Otherwise one or more of them take the free places.
    bool const paused = now < lane.paused_until;
    std::size_t wake = paused ? lane.waiting.size() : lane.limit - std::min(lane.in_flight, lane.limit);
    while (wake-- > 0 && !lane.waiting.empty()) {
        core::Suspended::resume(std::move(lane.waiting.front()));
        lane.waiting.pop_front();
    }
    bool const is_default = !paused && lane.limit == most && lane.waiting.empty();
    if (lane.in_flight == 0 && is_default) lanes_.erase(it);
}

/// Whether a further domain can be limited. If there is no room, forgets idle domains, at most once per
/// second.
bool DomainLanes::has_room(Time now)
{
    if (lanes_.size() < capacity) return true;
    if (now < next_sweep_) return false;
    next_sweep_ = now + 1s;
    std::erase_if(lanes_, [now](auto const& entry) {
        Lane const& lane = entry.second;
        return lane.in_flight == 0 && lane.waiting.empty() && now >= lane.paused_until;
    });
    return lanes_.size() < capacity;
}

} // namespace mail
