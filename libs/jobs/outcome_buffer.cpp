#include "jobs/outcome_buffer.hpp"

#include "jobs/lease_takeover.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobs {

namespace {

constexpr std::size_t runs_at_once = 256;

} // namespace

bool OutcomeBuffer::are_few() const noexcept
{
    return runs_.size() < runs_at_once;
}

std::vector<FinishedRun> OutcomeBuffer::next(Clock::time_point now, Clock::time_point& until)
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
                               : take([&](core::ScopeId scope) { return !paused_.contains(scope); });
        if (!batch.empty()) return batch;
    }
    return {};
}

std::vector<FinishedRun> OutcomeBuffer::take_paused(Clock::time_point now, Clock::time_point& until)
{
    for (auto const& [paused, pause] : paused_) {
        if (pause.until > now) {
            until = std::min(until, pause.until);
            continue;
        }
        auto batch = take([of = paused](core::ScopeId scope) { return scope == of; });
        if (!batch.empty()) return batch;
    }
    return {};
}

template <class Condition> std::vector<FinishedRun> OutcomeBuffer::take(Condition condition)
{
    std::vector<FinishedRun> batch;
    std::deque<FinishedRun> rest;
    for (auto& run : runs_) {
        if (batch.size() < runs_at_once && condition(run.claim.scope_id))
            batch.push_back(std::move(run));
        else
            rest.push_back(std::move(run));
    }
    runs_ = std::move(rest);
    return batch;
}

bool OutcomeBuffer::wait_for_database(std::vector<FinishedRun> runs)
{
    bool const is_first = !in_outage();
    extend(outage_);
    put_back(std::move(runs));
    return is_first;
}

void OutcomeBuffer::set_aside(core::ScopeId scope, std::vector<FinishedRun> runs)
{
    extend(paused_[scope]);
    put_back(std::move(runs));
}

void OutcomeBuffer::written(std::vector<FinishedRun> const& runs)
{
    outage_ = {};
    for (auto const& run : runs)
        paused_.erase(run.claim.scope_id);
}

void OutcomeBuffer::extend(Pause& pause) const
{
    pause.until = Clock::now() + outage_pause(pause.failures++, lease_);
}

void OutcomeBuffer::put_back(std::vector<FinishedRun> runs)
{
    std::ranges::move(runs, std::back_inserter(runs_));
}

} // namespace jobs
