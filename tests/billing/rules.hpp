#pragma once

#include "core/scope.hpp"
#include "domain/event.hpp"
#include "domain/history.hpp"
#include "events.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>
#include <string>
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

/// The entitlements of a user after a history.
inline std::vector<billing::Entitlement> entitlements_after(std::vector<billing::Event> const& history,
    billing::PaymentSettings const& settings = {}, core::UserId const& user = core::UserId("ada"))
{
    return billing::entitlements_after(scope_id, user, history, settings);
}

/// The result of a history for a product: its status, and its end in seconds after the start, such as `active
/// 60`.
inline std::string left_by(std::vector<billing::Event> const& history, std::string const& product,
    billing::PaymentSettings const& settings = {}, core::UserId const& user = core::UserId("ada"))
{
    std::string left;
    for (auto const& e : entitlements_after(history, settings, user)) {
        if (e.provider_product_id != product) continue;
        auto const end =
            e.expires_at ? std::to_string((*e.expires_at - at(0)) / std::chrono::seconds(1)) : "forever";
        left += (left.empty() ? "" : ", ") + std::string(to_string(e.status)) + ' ' + end;
    }
    return left;
}

/// The reason why an event is skipped; empty if the event is not skipped.
inline std::string reason_of(billing::Event const& event)
{
    auto const* skipped = std::get_if<billing::Skipped>(&event.data);
    return skipped == nullptr ? "" : std::string(skipped->reason);
}

} // namespace rules
