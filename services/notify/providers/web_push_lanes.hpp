#pragma once
// Only WebPushClient uses this header. A WebPushLanes decides the order of a scope's pushes.

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace notify {

/// The pushes of a scope that wait to be sent, with one lane per origin. The lanes take turns. In a lane,
/// urgent pushes come before bulk pushes.
///
/// Limits how many requests of one origin are in flight. The limit is a third of the requests that the scope
/// may still begin (a quarter for bulk pushes), as in core::Shares. So a single origin gets up to a quarter
/// of all requests, and any number of origins that do not respond leave some for another origin. An origin
/// without a request in flight may always begin one, if the scope may. Does no I/O. Not thread-safe.
class WebPushLanes {
    struct Lane;
    struct InLane;
    using Hook = boost::intrusive::list_base_hook<boost::intrusive::tag<InLane>,
        boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

public:
    /// A push in a lane. Its destructor takes it out of the lane.
    class Push : public Hook {
    public:
        std::string const& origin() const noexcept { return lane_->origin; }

    private:
        friend class WebPushLanes;

        Lane* lane_ = nullptr;
        bool bulk_ = false;
    };

    /// `push` must not move.
    void add(std::string const& origin, Push& push, bool bulk);

    /// The next push of the lane whose turn it is; null if no push waits for its turn. The push stays in its
    /// lane until `begin`, or until it is destroyed.
    Push* front();

    /// Call this function before a request for `front()` is sent. `free` is the number of requests that the
    /// scope may begin; at least 1. Returns false if the origin is at its limit: its pushes wait until `end`
    /// or `retry`.
    bool begin(Push& push, std::size_t free);

    /// The request has ended.
    void end(Push& push);

    /// Gives a turn to the lanes that wait because their origin was at its limit.
    void retry();

    /// The number of lanes.
    std::size_t size() const noexcept { return lanes_.size(); }

private:
    using Pushes = boost::intrusive::list<Push, boost::intrusive::base_hook<Hook>,
        boost::intrusive::constant_time_size<false>>;

    struct Lane {
        std::string origin;
        Pushes urgent{}, bulk{};
        std::size_t in_flight = 0;
        bool has_turn = false; ///< whether it is in `turns_`

        bool empty() const noexcept { return urgent.empty() && bulk.empty(); }
    };

    void give_turn(Lane& lane);
    void forget_if_unused(Lane const& lane);

    std::map<std::string, Lane> lanes_;
    std::deque<Lane*> turns_;    ///< lanes with pushes, in the order of their turns
    std::vector<Lane*> waiting_; ///< lanes with pushes whose origin was at its limit
};

} // namespace notify
