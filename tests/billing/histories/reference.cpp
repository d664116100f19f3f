#include "histories/reference.hpp"

#include "histories/reference_model.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace histories {

namespace {

using namespace model;

/// Which part an entitlement shows: the better status, then the later end of access, then the later event.
/// The tenant's settings have no influence on the choice: past due periods count, and the leeway is the
/// default.
auto worth(Part const& part)
{
    int const status = part.status == "active"     ? 3
                       : part.status == "paused"   ? 2
                       : part.status == "past_due" ? 1
                                                   : 0;
    return std::tuple(status, end_of(part, {.past_due_is_active = true}), part.last);
}

/// Whether the part awaits a renewal, and no event has ended it before that.
bool awaits_renewal(Part const& part)
{
    return part.renewal_until && (!part.ended_at || *part.ended_at > part.until);
}

/// Of the parts that await a renewal, one that no event has ended, otherwise the one whose default leeway
/// ends last. Null: no part awaits a renewal.
Part const* part_with_leeway(std::vector<Part> const& parts)
{
    Part const* found = nullptr;
    auto const worth = [](Part const& part) {
        auto const leeway_end = *part.renewal_until + Settings().leeway_s * second;
        return std::pair(!part.ended_at, std::min(leeway_end, part.ended_at.value_or(never)));
    };
    for (auto const& part : parts)
        if (awaits_renewal(part) && (found == nullptr || worth(part) > worth(*found))) found = &part;
    return found;
}

RefEntitlement entitlement_of(Parts const& all, Settings const& settings)
{
    Part const& best = *std::ranges::max_element(all.parts, {}, worth);
    // The last event of all parts is shown, also if it is not an event of the best part.
    Part const& last = *std::ranges::max_element(all.parts, {}, &Part::last);
    // The user has access as long as one of the parts gives it, but only one part has a leeway.
    auto const* awaited = part_with_leeway(all.parts);
    Time end = std::numeric_limits<Time>::min();
    for (auto part : all.parts) {
        if (awaited != nullptr && part.last != awaited->last) part.renewal_until.reset();
        end = std::max(end, end_of(part, settings));
    }
    RefEntitlement entitlement{.source = all.source,
        .product = all.product,
        .transaction = best.transaction,
        .status = best.status,
        .expires_at = best.expires_at,
        .grace_until = best.grace_until,
        .will_renew = best.will_renew,
        .last_event_type = last.last_type,
        .last_event_at = last.last.at};
    if (best.status == "past_due") entitlement.status = settings.past_due_is_active ? "active" : "expired";
    if (end != never) entitlement.access_until = end;
    return entitlement;
}

std::string text_of(std::optional<std::int64_t> const& time)
{
    return time ? describe_time(*time) : "never";
}

} // namespace

std::vector<RefEntitlement> reference(History const& history, std::string const& user)
{
    std::vector<RefEntitlement> entitlements;
    for (auto* const from : {&purchases_of, &checkouts_of, &subscriptions_of})
        for (auto const& parts : from(history, user))
            entitlements.push_back(entitlement_of(parts, history.settings));
    std::ranges::sort(entitlements);
    return entitlements;
}

bool has_access(RefEntitlement const& entitlement, std::int64_t at)
{
    return !entitlement.access_until || at < *entitlement.access_until;
}

std::string describe(RefEntitlement const& e)
{
    return e.source + ' ' + e.product + ' ' + e.transaction.value_or("-") + ": " + e.status + " until " +
           text_of(e.expires_at) + (e.grace_until ? ", grace " + text_of(e.grace_until) : "") +
           ", access until " + text_of(e.access_until) + (e.will_renew ? ", renews" : "") + ", last " +
           e.last_event_type + ' ' + describe_time(e.last_event_at);
}

namespace model {

Time end_of(Part const& part, Settings const& settings)
{
    Time end = part.until;
    if (part.renewal_until && end != never)
        end = std::max(end, *part.renewal_until + settings.leeway_s * second);
    if (part.ended_at) end = std::min(end, *part.ended_at);
    if (settings.past_due_is_active && part.past_due_until) end = std::max(end, *part.past_due_until);
    return end;
}

json::value const* find(json::value const* value, std::initializer_list<std::string_view> path)
{
    for (auto const name : path) {
        auto const* object = value == nullptr ? nullptr : value->if_object();
        value = object == nullptr ? nullptr : object->if_contains(name);
    }
    return value == nullptr || value->is_null() ? nullptr : value;
}

std::string text(json::value const& object, std::string_view name)
{
    auto const* value = find(&object, {name});
    auto const* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string() : std::string(*text);
}

std::optional<Time> time(json::value const& object, std::string_view name, Time unit)
{
    auto const* value = find(&object, {name});
    return value == nullptr || !value->is_int64() ? std::nullopt : std::optional(value->get_int64() * unit);
}

} // namespace model

} // namespace histories
