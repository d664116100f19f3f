#include "access_state.hpp"
#include "events.hpp"
#include "reading.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

// Every event type that the purchase provider documents, with the members that its documentation shows.

using namespace reading;
using access_state::forever, access_state::since, access_state::until;
using events::day, events::ms, events::undefined;

namespace {

/// An event of a type, 100 seconds after the purchase of the product.
struct Row {
    std::string type;
    json::object members;  ///< besides the common members; `undefined` removes one
    std::string result;    ///< of the webhook
    std::string state;     ///< of the entitlement `pro.monthly`, which was bought before
    std::string more = {}; ///< of the entitlement for another product: `product: state`
};

json::object const no_payment{{"price", 0}, {"price_in_purchased_currency", 0}};
json::array const experiments{
    json::object{{"experiment_id", "prexp1"}, {"experiment_variant", "b"}, {"enrolled_at_ms", ms(-day)}}};

json::object free_of_charge(json::object const& members)
{
    return events::changed(no_payment, members);
}

/// Removes the members of a purchase.
json::object without_purchase(json::object const& members)
{
    json::object removed;
    for (auto const* name : {"product_id", "period_type", "purchased_at_ms", "expiration_at_ms",
             "environment", "entitlement_id", "entitlement_ids", "presented_offering_id", "transaction_id",
             "original_transaction_id", "is_family_share", "country_code", "currency", "price",
             "price_in_purchased_currency", "subscriber_attributes", "takehome_percentage", "tax_percentage",
             "commission_percentage", "offer_code"})
        removed[name] = undefined;
    for (auto const& member : members)
        removed[member.key()] = member.value();
    return removed;
}

json::object transfer()
{
    auto members = without_purchase({{"environment", "SANDBOX"}});
    for (auto const* name : {"app_user_id", "original_app_user_id", "aliases"})
        members[name] = undefined;
    members["transferred_from"] = json::array{"user"};
    members["transferred_to"] = json::array{"another user"};
    return members;
}

std::vector<Row> rows()
{
    std::string const applied = "applied", unhandled = "skipped unhandled_type";
    auto const bought = until("active", 30 * day + leeway), cancelled = until("active", 30 * day);
    auto const second_month = until("active", 60 * day + leeway);
    json::object const next{{"purchased_at_ms", ms(30 * day)}, {"expiration_at_ms", ms(60 * day)}};
    json::object const currency{{"code", "CRD"}, {"name", "Credits"}, {"description", "The main currency"}};
    return {
        {"INITIAL_PURCHASE", {{"renewal_number", 1}, {"metadata", nullptr}}, applied, bought},
        {"RENEWAL", events::changed(next, {{"is_trial_conversion", false}, {"renewal_number", 2}}), applied,
            second_month},
        {"CANCELLATION", free_of_charge({{"cancel_reason", "UNSUBSCRIBE"}}), applied, cancelled},
        {"CANCELLATION",
            {{"cancel_reason", "CUSTOMER_SUPPORT"}, {"price", -6.01}, {"price_in_purchased_currency", -9.99}},
            applied, since("active", 100)},
        {"UNCANCELLATION", no_payment, applied, bought},
        {"NON_RENEWING_PURCHASE",
            {{"product_id", "2100_tokens"}, {"expiration_at_ms", nullptr}, {"transaction_id", "2000000222"}},
            applied, bought, "2100_tokens: " + forever("active")},
        {"SUBSCRIPTION_PAUSED", free_of_charge({{"auto_resume_at_ms", ms(60 * day)}}), applied,
            until("paused", 30 * day)},
        {"EXPIRATION", free_of_charge({{"expiration_reason", "UNSUBSCRIBE"}}), applied,
            since("expired", 100)},
        {"BILLING_ISSUE", free_of_charge({{"grace_period_expiration_at_ms", ms(36 * day)}}), applied,
            until("expired", 36 * day)},
        {"BILLING_ISSUE", free_of_charge({{"grace_period_expiration_at_ms", nullptr}}), applied,
            until("expired", 30 * day)},
        {"PRODUCT_CHANGE", free_of_charge({{"new_product_id", "pro.yearly"}}), applied, bought,
            "pro.yearly: " + bought},
        {"SUBSCRIPTION_EXTENDED", free_of_charge({{"expiration_at_ms", ms(60 * day)}}), applied,
            second_month},
        {"TRANSFER", transfer(), "skipped handled_by_sdk_login", bought},
        {"SUBSCRIBER_ALIAS", without_purchase({{"environment", "SANDBOX"}}), "skipped no_subscription_data",
            bought},
        {"TEST", {{"environment", "SANDBOX"}}, unhandled, bought},
        {"TEMPORARY_ENTITLEMENT_GRANT",
            free_of_charge({{"period_type", "TRIAL"}, {"transaction_id", nullptr}}), unhandled, bought},
        {"REFUND_REVERSED", {{"renewal_number", 3}}, unhandled, bought},
        {"INVOICE_ISSUANCE",
            {{"period_type", nullptr}, {"expiration_at_ms", nullptr}, {"entitlement_ids", nullptr},
                {"transaction_id", nullptr}, {"price", undefined}, {"store", "RC_BILLING"}},
            unhandled, bought},
        {"VIRTUAL_CURRENCY_TRANSACTION",
            without_purchase({{"product_id", "pro.monthly"}, {"product_display_name", "Pro"},
                {"purchase_environment", "SANDBOX"}, {"source", "in_app_purchase"},
                {"virtual_currency_transaction_id", "vatx1"}, {"transaction_id", "2000000111"},
                {"adjustments", json::array{json::object{{"amount", 100}, {"currency", currency}}}}}),
            unhandled, bought},
        {"EXPERIMENT_ENROLLMENT",
            without_purchase({{"experiment_id", "prexp1"}, {"experiment_variant", "b"}, {"offering_id", "b"},
                {"experiment_enrolled_at_ms", ms(0)}, {"store", undefined}}),
            unhandled, bought},
    };
}

} // namespace

TEST_CASE(
    "every documented event type of the purchase provider has its result and access", "[purchase-types]")
{
    World const world;
    int number = 0;
    for (auto const& row : rows()) {
        auto const user = "user " + std::to_string(++number);
        CAPTURE(row.type, user);
        happens(world, "INITIAL_PURCHASE", {{"app_user_id", user}, {"experiments", experiments}});
        json::object const common{{"app_user_id", user}, {"original_app_user_id", user},
            {"aliases", json::array{user}}, {"event_timestamp_ms", ms(100)}, {"experiments", experiments}};
        auto event = events::purchase(row.type, common);
        event["event"] = events::changed(event.at("event").as_object(), row.members);
        auto const id = text(event.at("event"), "id");
        CHECK(result_of(world.post_purchase(event)) == row.result);
        CHECK(result_of(world.post_purchase(event)) == "duplicate");
        CHECK(access_state::of(world, "pro.monthly", user) == row.state);
        std::string more;
        for (auto const& e : world.entitlements(user))
            if (text(e, "providerProductId") != "pro.monthly")
                more += text(e, "providerProductId") + ": " + access_state::of(e);
        CHECK(more == row.more);
        auto backend = world.as_backend();
        auto const archived = all_items(backend, "/v1/events?type=" + row.type);
        REQUIRE_FALSE(archived.empty());
        CHECK(archived[0].at("payload") == json::parse(body(event)));
    }
}
