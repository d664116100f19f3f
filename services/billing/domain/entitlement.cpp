#include "domain/entitlement.hpp"

#include "crypto/hash.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>
#include <utility>

namespace billing {

namespace {

/// Prefixes the text with its length, so that different lists of texts give different keys.
void append(std::string& key, std::string_view text)
{
    key.append(std::to_string(text.size())).append(1, ':').append(text);
}

int worth_of(Status status) noexcept
{
    switch (status) {
    case Status::active:
        return 3;
    case Status::paused:
        return 2;
    case Status::past_due:
        return 1;
    case Status::expired:
        break;
    }
    return 0;
}

/// Whether line `b` rather than line `a` decides what an entitlement shows.
bool is_better(LineState const& a, LineState const& b)
{
    auto const worth = [](LineState const& s) {
        return std::tuple(worth_of(s.status), end_of(s.access, {}), s.last->order);
    };
    return worth(a) < worth(b);
}

/// The revenue per month of a purchase that renews at the end of its period.
std::optional<std::int64_t> monthly_amount(Entitlement const& e)
{
    using days = std::chrono::duration<double, std::ratio<86400>>;
    constexpr double days_of_month = 365.0 / 12;
    bool const recurs = e.price && e.purchased_at && e.expires_at && *e.expires_at > *e.purchased_at;
    if (!recurs || !e.transaction_id.empty()) return std::nullopt;
    double const months = days(*e.expires_at - *e.purchased_at).count() / days_of_month;
    double const whole = std::max(1.0, std::round(months));
    // Months have 28 to 31 days, so a period of nearly whole months counts as whole months.
    double const counted = months > 0.9 ? whole : months;
    return billing::monthly_amount(e.price->amount, e.quantity.value_or(1), counted);
}

void set_terms(Entitlement& e, PurchaseFact const& terms)
{
    e.period_type = terms.period_type.value_or(PeriodType::normal);
    if (terms.period_type == PeriodType::trial) e.trial_ends_at = terms.expires_at;
    e.quantity = terms.quantity;
    e.price = terms.price;
    e.monthly_amount = monthly_amount(e);
    e.last_transaction_id = terms.transaction_id;
}

} // namespace

core::Uuid entitlement_id(core::ScopeId scope_id, Source source, core::UserId const& user_id,
    std::string_view provider_product_id, std::string_view transaction_id)
{
    std::string key;
    append(key, core::to_string(scope_id));
    for (auto const part :
        {to_string(source), std::string_view(user_id.text()), provider_product_id, transaction_id})
        append(key, part);
    auto const digest = crypto::sha256(key);
    std::array<std::uint8_t, 16> bytes{};
    std::copy_n(digest.begin(), bytes.size(), bytes.begin());
    bytes[6] = static_cast<std::uint8_t>(0x70 | (bytes[6] & 0x0f)); // version
    bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[8] & 0x3f)); // variant
    return core::Uuid::from_bytes(bytes);
}

Entitlement entitlement_of(core::ScopeId scope_id, EntitlementKey const& key, std::vector<PurchaseLine> lines)
{
    bool const once = !key.transaction_id.empty();
    auto const known = with_known_stores(lines, once);
    std::vector<LineState> states;
    states.reserve(known.size());
    for (auto const& line : known)
        states.push_back(state_of(line, once));
    auto const& best = *std::ranges::max_element(states, is_better);
    auto const& last =
        *std::ranges::max_element(states, {}, [](LineState const& s) { return s.last->order; })->last;
    Entitlement e;
    e.id = entitlement_id(scope_id, key.source, key.user_id, key.product, key.transaction_id);
    e.user_id = key.user_id;
    e.source = key.source;
    e.provider_product_id = key.product;
    e.transaction_id = key.transaction_id;
    e.status = best.status;
    e.purchased_at = best.terms.purchased_at;
    e.expires_at = best.expires_at;
    e.grace_until = best.grace_until;
    e.will_renew = best.will_renew;
    e.access = best.access;
    for (auto const& state : states)
        e.access = combined(e.access, state.access);
    e.store = best.store;
    set_terms(e, best.terms);
    e.cancel_reason = best.last->cancel_reason;
    if (key.source == Source::manual) e.reason = best.terms.reason;
    e.last_event_type = to_string(last.type);
    e.last = last.order;
    e.lines = std::move(lines);
    return e;
}

Status shown_status(Status status, AccessSettings const& settings) noexcept
{
    if (status != Status::past_due) return status;
    return settings.past_due_is_active ? Status::active : Status::expired;
}

bool differs(Entitlement const& a, Entitlement const& b) noexcept
{
    auto const shown = [](Entitlement const& e) {
        return std::tie(e.provider_product_id, e.alternative_product_id, e.status, e.purchased_at,
            e.expires_at, e.grace_until, e.access, e.will_renew, e.period_type, e.trial_ends_at, e.store,
            e.quantity, e.price, e.cancel_reason, e.reason, e.last_transaction_id, e.last_event_type,
            e.last.at);
    };
    return shown(a) != shown(b);
}

} // namespace billing
