#pragma once

#include "core/scope.hpp"
#include "domain/event.hpp"
#include "domain/history.hpp"
#include "events.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Helpers for tests of the rules: parsing one event, and the result of a history.
namespace rules {

inline constexpr core::ScopeId scope_id{5};

inline core::Time at(std::int64_t seconds)
{
    return testing::FakeClock::start + std::chrono::seconds(seconds);
}

inline billing::Event read_purchase(boost::json::object const& event)
{
    auto const parsed = billing::parse_purchase_event(event);
    REQUIRE(parsed.faults.empty());
    return parsed.event;
}

inline billing::Event read_payment(boost::json::object const& event)
{
    auto const parsed = billing::parse_payment_event(event);
    REQUIRE(parsed.faults.empty());
    return parsed.event;
}

/// An event of the purchase provider, `seconds` after the start.
inline billing::Event purchase(std::string_view type, std::int64_t seconds, boost::json::object changes = {})
{
    changes["event_timestamp_ms"] = events::ms(seconds);
    return read_purchase(events::purchase(type, changes));
}

/// The entitlements of a user after a history.
inline std::vector<billing::Entitlement> entitlements_after(
    std::vector<billing::Event> const& history, core::UserId const& user = core::UserId("ada"))
{
    return billing::entitlements_after(scope_id, user, history);
}

/// The only entitlement of user `ada` after a history. Fails the test if the user has none or several.
inline billing::Entitlement entitlement_after(std::vector<billing::Event> const& history)
{
    auto const all = entitlements_after(history);
    REQUIRE(all.size() == 1);
    return all.front();
}

/// The seconds after the start, or `never`.
inline std::string seconds_until(std::optional<core::Time> time)
{
    return time ? std::to_string((*time - at(0)) / std::chrono::seconds(1)) : "never";
}

/// The result of a history for a product: its status, and its end in seconds after the start, such as `active
/// 60`.
inline std::string left_by(std::vector<billing::Event> const& history, std::string const& product,
    billing::AccessSettings const& settings = {}, core::UserId const& user = core::UserId("ada"))
{
    std::string left;
    for (auto const& e : entitlements_after(history, user)) {
        if (e.provider_product_id != product) continue;
        auto const status = std::string(to_string(billing::shown_status(e.status, settings)));
        left += (left.empty() ? "" : ", ") + status + ' ' +
                (e.expires_at ? seconds_until(e.expires_at) : "forever");
    }
    return left;
}

/// When the access of user `ada` to a product ends after a history, in seconds after the start, or `never`.
inline std::string access_after(std::vector<billing::Event> const& history, std::string const& product,
    billing::AccessSettings const& settings = {})
{
    std::string ends;
    for (auto const& e : entitlements_after(history)) {
        if (e.provider_product_id != product) continue;
        ends += (ends.empty() ? "" : ", ") + seconds_until(billing::access_until(e.access, settings));
    }
    return ends;
}

/// The reason why an event is skipped; empty if the event is not skipped.
inline std::string reason_of(billing::Event const& event)
{
    auto const* skipped = std::get_if<billing::Skipped>(&event.data);
    return skipped == nullptr ? "" : std::string(skipped->reason);
}

} // namespace rules
