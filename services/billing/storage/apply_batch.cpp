#include "storage/batch.hpp"

#include <utility>

namespace billing::apply {

namespace {

/// Rounds that a batch goes through: events that touch the same rows are taken one after the other. What is
/// left then takes transactions of its own.
constexpr int max_rounds = 3;

using Outcomes = std::vector<std::optional<Outcome>>;

/// One round: what can be taken together is. Yields what comes after it.
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
            // Run once more, what an earlier round has written would be taken for a repetition.
            if (round == 0) throw;
            break;
        }
    }
    co_return outcomes;
}

} // namespace billing::apply
