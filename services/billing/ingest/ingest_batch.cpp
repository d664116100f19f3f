#include "ingest/ingest_batch.hpp"

#include <set>
#include <string>
#include <utility>

namespace billing::ingest {

namespace {

/// Rounds per batch. Two events that depend on the same row are written in different rounds. An event that is
/// not written in the last round gets a transaction of its own.
constexpr int max_rounds = 3;

using Outcomes = std::vector<std::optional<EventOutcome>>;

/// Reads the subscriptions of each item that is about a subscription.
asio::awaitable<void> read_subscriptions(
    pg::BatchConnection& connection, pg::Scopes const& scopes, std::vector<BatchItem>& items)
{
    std::vector<BatchItem*> queried;
    std::vector<event_batch::SubscriptionQuery> queries;
    for (auto& item : items) {
        if (auto query = subscription_query_of(*item.incoming)) {
            queried.push_back(&item);
            queries.push_back(*std::move(query));
        }
    }
    if (queries.empty()) co_return;
    auto found = co_await event_batch::read_subscriptions(connection, scopes, queries, max_subscriptions + 1);
    for (std::size_t i = 0; i < queried.size(); ++i)
        queried[i]->snapshot.subscriptions = std::move(found[i]);
}

/// Runs one round and returns the items for the next round.
asio::awaitable<std::vector<BatchItem>> run_round(pg::BatchConnection& connection, pg::Scopes const& scopes,
    std::vector<BatchItem> items, Outcomes& outcomes)
{
    co_await read_snapshots(connection, scopes, items);
    for (auto& item : items) {
        if (item.snapshot.state.is_claimed)
            outcomes[item.index] = EventOutcome{EventResult::duplicate, {}};
        else
            item.write = plan_write(*item.incoming, item.snapshot);
    }
    auto const selected = independent(items);
    if (selected.empty()) co_return std::vector<BatchItem>();
    auto const written = co_await write(connection, selected);
    for (std::size_t i = 0; i < selected.size(); ++i) {
        if (written[i]) outcomes[selected[i]->index] = selected[i]->write->row.outcome;
        selected[i]->write.reset();
    }
    std::vector<BatchItem> later;
    for (auto const& item : items)
        if (item.write) later.push_back({.incoming = item.incoming, .index = item.index});
    co_return later;
}

} // namespace

pg::Batch<std::optional<EventOutcome>> ingest_batch(
    pg::BatchConnection& connection, std::span<IncomingEvent const> events)
{
    auto const scopes = pg::scopes_of(events);
    Outcomes outcomes(events.size());
    std::vector<BatchItem> items;
    items.reserve(events.size());
    for (std::size_t index = 0; index < events.size(); ++index)
        items.push_back({.incoming = &events[index], .index = index});
    for (int round = 0; round < max_rounds && !items.empty(); ++round) {
        try {
            items = co_await run_round(connection, scopes, std::move(items), outcomes);
        } catch (...) {
            // The exception is not rethrown, because the caller would then repeat the whole batch. Events
            // that an earlier round has written would count as duplicates.
            if (round == 0) throw;
            break;
        }
    }
    co_return outcomes;
}

asio::awaitable<void> read_snapshots(
    pg::BatchConnection& connection, pg::Scopes const& scopes, std::vector<BatchItem>& items)
{
    co_await read_subscriptions(connection, scopes, items);
    std::vector<event_batch::StateQuery> queries;
    for (auto const& item : items)
        queries.push_back(state_query_of(*item.incoming, item.snapshot.subscriptions));
    auto states = co_await event_batch::read_state(connection, scopes, queries);
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i].snapshot.state = std::move(states[i]);
}

std::vector<BatchItem*> independent(std::vector<BatchItem>& items)
{
    std::set<std::pair<core::ScopeId, core::Uuid>> ids;
    std::set<std::pair<core::ScopeId, std::string>> subscriptions;
    std::vector<BatchItem*> selected;
    for (auto& item : items) {
        if (!item.write) continue;
        auto const& write = *item.write;
        bool is_free = !ids.contains({write.scope_id, write.row.claim});
        for (auto const& [id, revision] : write.entitlement_revisions)
            is_free = is_free && !ids.contains({write.scope_id, id});
        for (auto const& [id, revision] : write.subscription_revisions)
            is_free = is_free && !subscriptions.contains({write.scope_id, id});
        if (!is_free) continue;
        ids.emplace(write.scope_id, write.row.claim);
        for (auto const& [id, revision] : write.entitlement_revisions)
            ids.emplace(write.scope_id, id);
        for (auto const& [id, revision] : write.subscription_revisions)
            subscriptions.emplace(write.scope_id, id);
        selected.push_back(&item);
    }
    return selected;
}

pg::Batch<bool> write(pg::BatchConnection& connection, std::span<BatchItem* const> items)
{
    std::vector<event_batch::EventWrite const*> writes;
    for (auto const* item : items)
        writes.push_back(&*item->write);
    co_return co_await event_batch::write(connection, writes);
}

} // namespace billing::ingest
