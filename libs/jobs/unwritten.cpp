#include "jobs/unwritten.hpp"

#include "jobs/contact.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobs {

namespace {

constexpr std::size_t endings_at_once = 256;

} // namespace

std::vector<Ending> Unwritten::next(Clock::time_point now, Clock::time_point& until)
{
    if (now < outage_.until) {
        until = std::min(until, outage_.until);
        return {};
    }
    // Scopes without a pause and scopes whose pause is over take turns, so that neither kind can delay the
    // other indefinitely.
    is_turn_of_paused_ = !is_turn_of_paused_;
    for (bool const of_paused : {is_turn_of_paused_, !is_turn_of_paused_}) {
        auto batch = of_paused ? take_paused(now, until)
                               : take([&](std::int64_t scope) { return !paused_.contains(scope); });
        if (!batch.empty()) return batch;
    }
    return {};
}

std::vector<Ending> Unwritten::take_paused(Clock::time_point now, Clock::time_point& until)
{
    for (auto const& [paused, pause] : paused_) {
        if (pause.until > now) {
            until = std::min(until, pause.until);
            continue;
        }
        auto batch = take([of = paused](std::int64_t scope) { return scope == of; });
        if (!batch.empty()) return batch;
    }
    return {};
}

template <class Condition> std::vector<Ending> Unwritten::take(Condition condition)
{
    std::vector<Ending> batch;
    std::deque<Ending> rest;
    for (auto& ending : endings_) {
        if (batch.size() < endings_at_once && condition(ending.claim.scope_id))
            batch.push_back(std::move(ending));
        else
            rest.push_back(std::move(ending));
    }
    endings_ = std::move(rest);
    return batch;
}

bool Unwritten::wait_for_database(std::vector<Ending> endings)
{
    bool const is_first = !in_outage();
    extend(outage_);
    put_back(std::move(endings));
    return is_first;
}

void Unwritten::set_aside(std::int64_t scope, std::vector<Ending> endings)
{
    extend(paused_[scope]);
    put_back(std::move(endings));
}

void Unwritten::written(std::vector<Ending> const& endings)
{
    outage_ = {};
    for (auto const& ending : endings)
        paused_.erase(ending.claim.scope_id);
}

void Unwritten::extend(Pause& pause) const
{
    pause.until = Clock::now() + outage_pause(pause.failures++, lease_);
}

void Unwritten::put_back(std::vector<Ending> endings)
{
    std::ranges::move(endings, std::back_inserter(endings_));
}

} // namespace jobs
