#include "storage/batch.hpp"

#include <utility>

namespace billing::apply {

namespace {

/// Rounds per batch. Two events that depend on the same row are written in different rounds. An event that is
/// not written in the last round gets a transaction of its own.
constexpr int max_rounds = 3;

using Outcomes = std::vector<std::optional<Outcome>>;

/// Runs one round and returns the steps for the next one.
asio::awaitable<std::vector<Step>> take_round(
    pg::Session& session, pg::Scopes const& scopes, std::vector<Step> steps, Outcomes& outcomes)
{
    co_await look(session, scopes, steps);
    for (auto& step : steps) {
        if (step.seen.claimed)
            outcomes[step.place] = Outcome{Result::duplicate, {}};
        else
            step.plan = plan_of(step);
    }
    auto const picked = independent(steps);
    if (picked.empty()) co_return std::vector<Step>();
    auto const taken = co_await write(session, picked);
    for (std::size_t i = 0; i < picked.size(); ++i) {
        if (taken[i]) outcomes[picked[i]->place] = picked[i]->plan->row.outcome;
        picked[i]->plan.reset();
    }
    std::vector<Step> later;
    for (auto const& step : steps)
        if (step.plan) later.push_back({.incoming = step.incoming, .place = step.place});
    co_return later;
}

} // namespace

pg::Batch<std::optional<Outcome>> take_in_batch(pg::Session& session, std::span<Incoming const> events)
{
    auto const scopes = pg::scopes_of(events);
    Outcomes outcomes(events.size());
    std::vector<Step> steps;
    steps.reserve(events.size());
    for (std::size_t place = 0; place < events.size(); ++place)
        steps.push_back({.incoming = &events[place], .place = place});
    for (int round = 0; round < max_rounds && !steps.empty(); ++round) {
        try {
            steps = co_await take_round(session, scopes, std::move(steps), outcomes);
        } catch (...) {
            // The exception is not rethrown, because the caller would then repeat the whole batch. Events
            // that an earlier round has written would count as duplicates.
            if (round == 0) throw;
            break;
        }
    }
    co_return outcomes;
}

} // namespace billing::apply
