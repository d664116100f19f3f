#include "domain/purchase_line.hpp"

#include <algorithm>
#include <array>

namespace billing {

namespace {

constexpr std::string_view promotional = "PROMOTIONAL";

/// What an event does to a purchase.
enum class Effect : std::uint8_t { period, resumed, cancelled, refunded, issue, paused, ended };

constexpr std::array effects{Effect::period, Effect::resumed, Effect::cancelled, Effect::refunded,
    Effect::issue, Effect::paused, Effect::ended};

/// What kind of purchase a line is about.
struct Kind {
    bool once = false;        ///< bought once: it does not renew, and a CANCELLATION is a refund
    bool promotional = false; ///< granted through the purchase provider: a CANCELLATION ends it
};

Kind kind_of(PurchaseLine const& line, bool once) noexcept
{
    return {once, line.store == promotional};
}

Effect effect_of(PurchaseFact const& fact, Kind kind) noexcept
{
    if (fact.synced) return Effect::period;
    switch (fact.type) {
    case PurchaseEventType::uncancellation:
        return Effect::resumed;
    case PurchaseEventType::cancellation:
        return fact.is_refund || kind.once || kind.promotional ? Effect::refunded : Effect::cancelled;
    case PurchaseEventType::charge_refunded:
    case PurchaseEventType::dispute_lost:
        return Effect::refunded;
    case PurchaseEventType::billing_issue:
        return Effect::issue;
    case PurchaseEventType::subscription_paused:
        return Effect::paused;
    case PurchaseEventType::expiration:
    case PurchaseEventType::revoke:
    case PurchaseEventType::moved:
        return Effect::ended;
    case PurchaseEventType::initial_purchase:
    case PurchaseEventType::non_renewing_purchase:
    case PurchaseEventType::renewal:
    case PurchaseEventType::product_change:
    case PurchaseEventType::subscription_extended:
    case PurchaseEventType::checkout_completed:
    case PurchaseEventType::checkout_paid_later:
    case PurchaseEventType::sync:
    case PurchaseEventType::grant:
        break;
    }
    return Effect::period;
}

/// Whether the event states the period and the price of the purchase.
bool states_terms(PurchaseEventType type) noexcept
{
    return type != PurchaseEventType::charge_refunded && type != PurchaseEventType::dispute_lost &&
           type != PurchaseEventType::revoke && type != PurchaseEventType::moved;
}

bool renews_after(PurchaseFact const& fact) noexcept
{
    if (fact.synced) return fact.synced->will_renew;
    switch (fact.type) {
    case PurchaseEventType::initial_purchase:
    case PurchaseEventType::renewal:
    case PurchaseEventType::product_change:
    case PurchaseEventType::uncancellation:
    case PurchaseEventType::billing_issue: // the store retries the payment
    case PurchaseEventType::subscription_paused:
    case PurchaseEventType::subscription_extended:
        return true;
    default:
        return false;
    }
}

Status status_after(PurchaseFact const& fact, bool once) noexcept
{
    switch (fact.type) {
    case PurchaseEventType::cancellation:
        return once ? Status::expired : Status::active;
    case PurchaseEventType::expiration:
    case PurchaseEventType::billing_issue:
    case PurchaseEventType::charge_refunded:
    case PurchaseEventType::dispute_lost:
    case PurchaseEventType::revoke:
    case PurchaseEventType::moved:
        return Status::expired;
    case PurchaseEventType::subscription_paused:
        return Status::paused;
    case PurchaseEventType::sync:
        return fact.synced ? fact.synced->status : Status::active;
    default:
        return Status::active;
    }
}

/// The greatest event of each effect, and others that decide the state. Null: there is none.
struct Greatest {
    std::array<PurchaseFact const*, effects.size()> of_effect{};
    PurchaseFact const* grace = nullptr;
    PurchaseFact const* price = nullptr;
    PurchaseFact const* terms = nullptr;
    PurchaseFact const* last = nullptr;

    Greatest(PurchaseLine const& line, Kind kind)
    {
        for (auto const& fact : line.facts) { // in ascending order
            of_effect[static_cast<std::size_t>(effect_of(fact, kind))] = &fact;
            if (fact.grace_until) grace = &fact;
            if (fact.price && effect_of(fact, kind) == Effect::period) price = &fact;
            if (states_terms(fact.type)) terms = &fact;
            last = &fact;
        }
        if (terms == nullptr) terms = last;
    }

    PurchaseFact const* of(Effect effect) const { return of_effect[static_cast<std::size_t>(effect)]; }

    /// The greatest event of an effect, if it is greater than `than`.
    PurchaseFact const* after(Effect effect, PurchaseFact const* than) const
    {
        auto const* fact = of(effect);
        return fact != nullptr && (than == nullptr || fact->order > than->order) ? fact : nullptr;
    }

    /// Whether the event is older than the one that begins the period.
    bool is_old(PurchaseFact const& fact) const
    {
        auto const* period = of(Effect::period);
        return period != nullptr && fact.order < period->order;
    }

    /// The greatest event that begins or continues access.
    PurchaseFact const* start() const
    {
        auto const* resumed = after(Effect::resumed, of(Effect::period));
        return resumed != nullptr ? resumed : of(Effect::period);
    }
};

/// Whether a renewal is expected at the end of the period.
bool expects_renewal(Greatest const& greatest)
{
    auto const* period = greatest.of(Effect::period);
    auto const* start = greatest.start();
    if (start == nullptr || !renews_after(*start)) return false;
    bool const is_paused = start->synced && start->synced->status == Status::paused;
    if (is_paused) return false;
    bool const in_issue = greatest.after(Effect::issue, period) != nullptr ||
                          (period != nullptr && period->synced && period->synced->in_billing_issue);
    return !in_issue && greatest.after(Effect::cancelled, start) == nullptr &&
           greatest.after(Effect::paused, start) == nullptr;
}

/// The earliest time at which an event ended access for good.
std::optional<core::Time> end_by_event(Greatest const& greatest)
{
    auto const* start = greatest.start();
    std::optional<core::Time> end;
    for (auto const effect : {Effect::refunded, Effect::ended})
        if (auto const* fact = greatest.after(effect, start))
            end = end ? std::min(*end, fact->order.at) : fact->order.at;
    if (!end && start != nullptr && start->synced) end = start->synced->ended_at;
    return end;
}

Access access_of(LineState const& state, Greatest const& greatest, bool renewable)
{
    Access access;
    if (state.expires_at)
        access.until =
            state.grace_until ? std::max(*state.expires_at, *state.grace_until) : *state.expires_at;
    if (state.expires_at && renewable && expects_renewal(greatest)) access.renewal_until = state.expires_at;
    if (auto const end = end_by_event(greatest)) access = ended(access, *end);
    return access;
}

/// Whether the event states an active purchase that will not renew.
bool is_cancelled(PurchaseFact const* start)
{
    return start != nullptr && start->synced && start->synced->status == Status::active &&
           !start->synced->will_renew;
}

/// The period and the price of a purchase. Events may leave members out, so each member is that of the
/// greatest event that states it, back to the event that begins the period. The price may be older.
PurchaseFact terms_of(PurchaseLine const& line, Greatest const& greatest)
{
    PurchaseFact terms = *greatest.terms;
    for (auto fact = line.facts.rbegin(); fact != line.facts.rend(); ++fact) {
        if (!states_terms(fact->type) || greatest.is_old(*fact)) continue;
        if (!terms.expires_at) terms.expires_at = fact->expires_at;
        if (!terms.purchased_at) terms.purchased_at = fact->purchased_at;
        if (!terms.period_type) terms.period_type = fact->period_type;
        if (terms.transaction_id.empty()) terms.transaction_id = fact->transaction_id;
    }
    if (greatest.price != nullptr) terms.price = greatest.price->price;
    return terms;
}

/// Removes the events that no longer decide anything.
void prune(PurchaseLine& line, Kind kind)
{
    Greatest const greatest(line, kind);
    std::vector<PurchaseFact> kept;
    for (auto const& fact : line.facts) {
        bool const decides =
            &fact == greatest.of(effect_of(fact, kind)) || &fact == greatest.grace || &fact == greatest.terms;
        if (&fact == greatest.price || (decides && !greatest.is_old(fact))) kept.push_back(fact);
    }
    line.facts = std::move(kept);
}

} // namespace

void join(PurchaseLine& line, PurchaseFact const& fact, bool once)
{
    auto const place = std::ranges::lower_bound(line.facts, fact.order, {}, &PurchaseFact::order);
    if (place != line.facts.end() && place->order == fact.order) return;
    line.facts.insert(place, fact);
    prune(line, kind_of(line, once));
}

void join(std::vector<PurchaseLine>& lines, std::string_view store, PurchaseFact const& fact, bool once)
{
    auto const place = std::ranges::lower_bound(lines, store, {}, &PurchaseLine::store);
    if (place != lines.end() && place->store == store) {
        join(*place, fact, once);
        return;
    }
    lines.insert(place, PurchaseLine{std::string(store), {fact}});
}

LineState state_of(PurchaseLine const& line, bool once)
{
    auto const kind = kind_of(line, once);
    Greatest const greatest(line, kind);
    auto const& last = *greatest.last;
    auto terms = terms_of(line, greatest);
    auto const* start = greatest.start();
    LineState state{.store = line.store,
        .status = status_after(last, once),
        .access = {},
        .expires_at = terms.expires_at,
        .grace_until = greatest.grace == nullptr || greatest.is_old(*greatest.grace)
                           ? std::nullopt
                           : greatest.grace->grace_until,
        .last = &last,
        .terms = {}};
    state.terms = std::move(terms);
    if (once && effect_of(last, kind) == Effect::refunded) {
        state.expires_at = last.order.at;
        state.grace_until.reset();
    }
    bool const renewable = !once && !kind.promotional;
    state.will_renew = renewable && renews_after(last) && !is_cancelled(start) &&
                       greatest.after(Effect::cancelled, start) == nullptr;
    state.access = access_of(state, greatest, renewable);
    return state;
}

std::vector<PurchaseLine> with_known_stores(std::span<PurchaseLine const> lines, bool once)
{
    std::vector<PurchaseLine> known(lines.begin(), lines.end());
    if (known.size() < 2 || !known.front().store.empty()) return known;
    auto const unknown = known.front().facts;
    known.erase(known.begin());
    for (auto& line : known)
        for (auto const& fact : unknown)
            join(line, fact, once);
    return known;
}

} // namespace billing
