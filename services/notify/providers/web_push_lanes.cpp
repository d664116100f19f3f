#include "providers/web_push_lanes.hpp"

#include <utility>

namespace notify {

void WebPushLanes::add(std::string const& origin, Push& push, bool bulk)
{
    auto& lane = lanes_.try_emplace(origin, Lane{origin}).first->second;
    push.lane_ = &lane;
    push.bulk_ = bulk;
    (bulk ? lane.bulk : lane.urgent).push_back(push);
    if (lane.has_turn) return;
    std::erase(waiting_, &lane);
    give_turn(lane);
}

WebPushLanes::Push* WebPushLanes::front()
{
    while (!turns_.empty()) {
        Lane& lane = *turns_.front();
        if (!lane.urgent.empty()) return &lane.urgent.front();
        if (!lane.bulk.empty()) return &lane.bulk.front();
        turns_.pop_front();
        lane.has_turn = false;
        forget_if_unused(lane);
    }
    return nullptr;
}

bool WebPushLanes::begin(Push& push, std::size_t free)
{
    Lane& lane = *push.lane_;
    turns_.pop_front();
    lane.has_turn = false;
    std::size_t const more = lane.in_flight + 1;
    if (lane.in_flight > 0 && more * (push.bulk_ ? 4 : 3) > free - 1) {
        waiting_.push_back(&lane);
        return false;
    }
    push.unlink();
    lane.in_flight = more;
    give_turn(lane);
    return true;
}

void WebPushLanes::end(Push& push)
{
    Lane& lane = *push.lane_;
    --lane.in_flight;
    if (std::erase(waiting_, &lane) > 0)
        give_turn(lane);
    else
        forget_if_unused(lane);
}

void WebPushLanes::retry()
{
    for (auto* const lane : std::exchange(waiting_, {}))
        give_turn(*lane);
}

void WebPushLanes::give_turn(Lane& lane)
{
    lane.has_turn = true;
    turns_.push_back(&lane);
}

/// A lane with a turn is forgotten when its turn comes.
void WebPushLanes::forget_if_unused(Lane const& lane)
{
    if (lane.in_flight == 0 && !lane.has_turn && lane.empty()) lanes_.erase(lanes_.find(lane.origin));
}

} // namespace notify
