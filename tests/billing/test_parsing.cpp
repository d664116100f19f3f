#include "core/text.hpp"
#include "domain/payment_signature.hpp"
#include "rules.hpp"
#include "storage/event_archive.hpp"
#include "storage/event_claims.hpp"
#include "world.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

// Tests of the parsers, with valid and malformed events.

using namespace billing;
using namespace rules;
using events::day, events::ms, events::s, events::undefined;
namespace json = boost::json;

namespace {

std::string faults_of(ParsedEvent const& parsed)
{
    std::string faults;
    for (auto const& fault : parsed.faults)
        faults += (faults.empty() ? "" : "\n") + fault.pointer + ' ' + fault.code;
    return faults;
}

} // namespace

TEST_CASE("the product of a payment is found in every shape of the event", "[billing][rules]")
{
    auto const item_of = [](json::object const& subscription) {
        auto const event = read_payment(events::payment("customer.subscription.created", subscription));
        auto const& items = std::get<SubscriptionEvent>(event.data).items;
        REQUIRE(items.size() == 1);
        return items[0].product + ' ' + items[0].alternative + ' ' +
               std::to_string((items[0].ends.value() - at(0)) / 1s);
    };
    auto const month = std::to_string(30 * day);
    CHECK(item_of(events::subscription({events::item("p")})) == "p prod_p " + month);
    CHECK(item_of(events::old_subscription("p")) == "p prod_p " + month);
    json::object const plan{{"id", "gold"}, {"object", "plan"}, {"product", "prod_gold"}};
    json::object const with_plan{{"price", undefined}, {"plan", plan}};
    CHECK(item_of(events::subscription({events::item("p", with_plan)})) == "gold prod_gold " + month);
    CHECK(item_of(events::old_subscription("p", {{"items", undefined}, {"plan", plan}})) ==
          "gold prod_gold " + month);
    auto expanded = events::price("p", "");
    expanded["product"] = json::object{{"id", "prod_p"}, {"object", "product"}};
    CHECK(item_of(events::subscription({events::item("p", {{"price", expanded}})})) == "p prod_p " + month);
    CHECK(item_of(events::subscription(
              {events::item("p", {{"price", json::object{{"product", "only"}}}})})) == "only  " + month);
}

TEST_CASE("events without an effect are skipped with a reason", "[billing][rules]")
{
    for (auto const& [type, reason] : std::map<std::string, std::string>{
             {"SUBSCRIBER_ALIAS", "no_subscription_data"},
             {"TRANSFER", "handled_by_sdk_login"},
             {"TEST", "unhandled_type"},
             {"initial_purchase", "unhandled_type"},
         }) {
        CAPTURE(type);
        // Events of these types require only id and type.
        auto const event =
            read_purchase({{"event", json::object{{"id", "e"}, {"type", type}, {"app_user_id", 7}}}});
        CHECK(reason_of(event) == reason);
        CHECK_FALSE(event.environment);
    }
    for (auto const& [type, reason] : std::map<std::string, std::string>{
             {"invoice.payment_failed", "handled_by_subscription_update"},
             {"charge.succeeded", "unhandled_type"},
             {"checkout.session.async_payment_failed", "unhandled_type"},
         }) {
        CAPTURE(type);
        CHECK(reason_of(read_payment({{"id", "e"}, {"type", type}})) == reason);
    }
    for (auto const& metadata : {json::value(nullptr), json::value(json::object()),
             json::value(json::object{{"userId", ""}}), json::value(json::object{{"user_id", "ada"}})})
        CHECK(reason_of(read_payment(events::payment("customer.subscription.updated",
                  events::subscription({events::item("a")}, {{"metadata", metadata}})))) == "no_user");
    CHECK(reason_of(read_payment(events::payment(
              "invoice.paid", events::old_invoice("a", {{"subscription", nullptr}})))) == "no_subscription");
}

TEST_CASE("a charge, dispute or checkout without an effect is skipped with a reason", "[billing][rules]")
{
    auto const reason = [](std::string_view type, json::object const& object) {
        return reason_of(read_payment(events::payment(type, object)));
    };
    constexpr auto refunded = "charge.refunded", closed = "charge.dispute.closed";
    CHECK(reason(refunded, events::refunded_charge()) == "");
    CHECK(reason(refunded, events::charge({{"amount_refunded", 998}})) == "partial_refund");
    // If the member `refunded` is missing, the amounts decide.
    CHECK(reason(refunded, events::refunded_charge({{"refunded", undefined}})) == "");
    CHECK(reason(refunded, events::charge({{"refunded", undefined}, {"amount_refunded", 998}})) ==
          "partial_refund");
    CHECK(reason(refunded, {{"livemode", false}}) == "partial_refund");

    CHECK(reason("charge.dispute.created", events::dispute("needs_response")) == "dispute_open");
    CHECK(reason(closed, events::dispute("lost")) == "");
    for (auto const* status : {"won", "warning_closed", "needs_response", ""})
        CHECK(reason(closed, events::dispute(status)) == "dispute_not_lost");

    for (auto const* type : {"checkout.session.completed", "checkout.session.async_payment_succeeded"}) {
        CAPTURE(type);
        auto const of = [&](json::object const& changes) {
            return reason(type, events::checkout_session(changes));
        };
        CHECK(of({}) == "");
        CHECK(of({{"payment_status", "no_payment_required"}}) == "");
        CHECK(of({{"payment_status", "unpaid"}}) == "not_paid");
        CHECK(of({{"payment_status", undefined}}) == "not_paid");
        CHECK(of({{"mode", "subscription"}}) == "not_a_payment");
        CHECK(of({{"mode", "setup"}}) == "not_a_payment");
        CHECK(of({{"metadata", json::object{{"productId", "coins"}}}}) == "no_user");
        CHECK(of({{"metadata", json::object{{"userId", "ada"}}}}) == "no_product");
        CHECK(of({{"metadata", nullptr}}) == "no_user");
    }
    CHECK(reason("invoice_payment.paid", events::invoice_payment()) == "connects_payments");
}

TEST_CASE(
    "an event about a payment names all ids of the payment, as ids or as whole objects", "[billing][rules]")
{
    auto const references = [](std::string_view type, json::object const& object) {
        auto ids = read_payment(events::payment(type, object)).references;
        std::ranges::sort(ids);
        std::string all;
        for (auto const& id : ids)
            all += (all.empty() ? "" : " ") + id;
        return all;
    };
    CHECK(references("charge.refunded", events::refunded_charge()) == "ch_1 pi_1");
    CHECK(references("charge.refunded", events::refunded_charge({{"invoice", "in_1"}})) == "ch_1 in_1 pi_1");
    CHECK(references("charge.refunded",
              events::refunded_charge({{"invoice", json::object{{"id", "in_1"}, {"object", "invoice"}}},
                  {"payment_intent", nullptr}})) == "ch_1 in_1");
    CHECK(references("charge.dispute.closed", events::dispute("lost")) == "ch_1 du_1 pi_1");
    CHECK(references("checkout.session.completed", events::checkout_session()) == "cs_test_1 pi_1");
    CHECK(references("invoice_payment.paid", events::invoice_payment()) == "in_1 inpay_1 pi_1");
    CHECK(references("invoice.paid", events::invoice("a")) == "in_1");
    CHECK(
        references("invoice.paid",
            events::old_invoice("a", {{"charge", "ch_1"}, {"payment_intent", "pi_1"}})) == "ch_1 in_1 pi_1");
    // Also if the event has no effect of its own.
    CHECK(references("charge.refunded", events::charge()) == "ch_1 pi_1");
    CHECK(references("charge.dispute.created", events::dispute("needs_response")) == "ch_1 du_1 pi_1");
}

TEST_CASE("prices are read in minor units", "[billing][rules]")
{
    auto const in_app = [](json::value const& amount, json::value const& currency) {
        auto const e = entitlement_after({read_purchase(
            events::purchase("RENEWAL", {{"price_in_purchased_currency", amount}, {"currency", currency}}))});
        return e.price ? std::to_string(e.price->amount) + ' ' + e.price->currency : "";
    };
    CHECK(in_app(9.99, "NZD") == "999 NZD");
    CHECK(in_app(9.99, "nzd") == "999 NZD");
    CHECK(in_app(0.07, "USD") == "7 USD");
    CHECK(in_app(1234.56, "USD") == "123456 USD");
    CHECK(in_app(480, "JPY") == "480 JPY");
    CHECK(in_app(1.234, "KWD") == "1234 KWD");
    CHECK(in_app(-9.99, "NZD") == ""); // a refund
    CHECK(in_app(0, "NZD") == "0 NZD");
    CHECK(in_app(nullptr, "NZD") == "");
    CHECK(in_app(9.99, nullptr) == "");
    CHECK(in_app("9.99", "NZD") == "");
    CHECK(in_app(9.99, "dollars") == "");
    CHECK(in_app(1e300, "NZD") == "");

    auto const card = [](json::object const& changes, json::object const& of_item = {}) {
        auto const price = events::changed(events::price("a", "prod_a"), changes);
        auto const item = events::changed(events::item("a", {{"price", price}}), of_item);
        auto const e = entitlement_after(
            {read_payment(events::payment("customer.subscription.created", events::subscription({item})))});
        return (e.price ? std::to_string(e.price->amount) + ' ' + e.price->currency : "") + " x " +
               std::to_string(e.quantity.value_or(-1));
    };
    CHECK(card({}) == "999 NZD x 1");
    CHECK(card({}, {{"quantity", 3}}) == "999 NZD x 3");
    CHECK(card({}, {{"quantity", undefined}}) == "999 NZD x 1"); // metered
    CHECK(card({{"currency", "jpy"}}) == "999 JPY x 1");
    CHECK(card({{"unit_amount", nullptr}, {"unit_amount_decimal", "12.5"}}) == "13 NZD x 1");
    CHECK(card({{"unit_amount", nullptr}}) == " x 1"); // tiers
    json::object const plan{{"id", "gold"}, {"amount", 1200}, {"currency", "usd"}, {"interval", "year"}};
    CHECK(card({}, {{"price", undefined}, {"plan", plan}}) == "1200 USD x 1");
}

TEST_CASE("the environment is read from the payload", "[billing][rules]")
{
    using core::Environment;
    CHECK(read_purchase(events::purchase("RENEWAL")).environment == Environment::sandbox);
    CHECK(read_purchase(events::purchase("RENEWAL", {{"environment", "PRODUCTION"}})).environment ==
          Environment::production);
    auto const of = [](json::value const& own, json::value const& envelopes) {
        auto const object = events::subscription({events::item("a")}, {{"livemode", own}});
        return read_payment(
            events::payment("customer.subscription.created", object, {{"livemode", envelopes}}))
            .environment;
    };
    CHECK(of(true, false) == Environment::production);
    CHECK(of(false, true) == Environment::sandbox);
    CHECK(of(undefined, true) == Environment::production);
}

TEST_CASE("missing and malformed fields of the purchase provider's events are reported", "[billing][rules]")
{
    for (auto const& [changes, faults] : std::vector<std::pair<json::object, std::string>>{
             {{{"id", undefined}}, "/event/id required"},
             {{{"id", ""}}, "/event/id too_short"},
             {{{"type", undefined}}, "/event/type required"},
             {{{"event_timestamp_ms", undefined}}, "/event/event_timestamp_ms required"},
             {{{"event_timestamp_ms", "1767225600000"}}, "/event/event_timestamp_ms type"},
             {{{"event_timestamp_ms", 1.5}}, "/event/event_timestamp_ms type"},
             {{{"event_timestamp_ms", -1}}, "/event/event_timestamp_ms range"},
             {{{"event_timestamp_ms", 9.3e18}}, "/event/event_timestamp_ms range"},
             {{{"expiration_at_ms", 253402300800000}}, "/event/expiration_at_ms range"},
             {{{"app_user_id", nullptr}}, "/event/app_user_id required"},
             {{{"app_user_id", std::string(256, 'x')}}, "/event/app_user_id too_long"},
             {{{"app_user_id", std::string("a\0b", 3)}}, "/event/app_user_id format"},
             {{{"environment", undefined}}, "/event/environment required"},
             {{{"environment", "sandbox"}}, "/event/environment not_allowed"},
             {{{"product_id", 5}}, "/event/product_id type"},
             {{{"transaction_id", 5}}, "/event/transaction_id type"},
             {{{"product_id", undefined}, {"app_user_id", undefined}},
                 "/event/app_user_id required\n/event/product_id required"},
         }) {
        CAPTURE(changes);
        CHECK(faults_of(parse_purchase_event(events::purchase("RENEWAL", changes))) == faults);
    }
    CHECK(faults_of(parse_purchase_event(json::array())) == " type");
    CHECK(faults_of(parse_purchase_event(json::object())) == "/event required");
    CHECK(faults_of(parse_purchase_event(json::object{{"event", "x"}})) == "/event type");
    // Fields without an effect may have any form.
    CHECK(faults_of(parse_purchase_event(
              events::purchase("RENEWAL", {{"store", 7}, {"offer_code", std::string("\0", 1)}}))) == "");
    std::string longest;
    for (int i = 0; i < 255; ++i)
        longest += "\xF0\x9F\x92\xB3";
    CHECK(faults_of(parse_purchase_event(events::purchase("RENEWAL", {{"app_user_id", longest}}))) == "");
}

TEST_CASE("missing and malformed fields of the payments provider's events are reported", "[billing][rules]")
{
    auto const faults = [](json::object const& object, json::object const& changes = {},
                            std::string_view type = "customer.subscription.updated") {
        return faults_of(parse_payment_event(events::payment(type, object, changes)));
    };
    auto const subscription = [](json::object const& changes) {
        return events::subscription({events::item("a")}, changes);
    };
    CHECK(faults(subscription({})) == "");
    CHECK(faults(subscription({}), {{"id", undefined}}) == "/id required");
    CHECK(faults(subscription({}), {{"created", undefined}}) == "/created required");
    CHECK(faults(subscription({}), {{"created", 1e30}}) == "/created range");
    CHECK(faults(subscription({}), {{"data", undefined}}) == "/data required");
    CHECK(faults(subscription({}), {{"data", json::object{{"object", 1}}}}) == "/data required");
    CHECK(faults(subscription({{"livemode", undefined}}), {{"livemode", undefined}}) ==
          "/data/object/livemode required");
    CHECK(faults(subscription({{"id", undefined}})) == "/data/object/id required");
    CHECK(faults(subscription({{"status", undefined}})) == "/data/object/status required");
    CHECK(faults(subscription({{"items", undefined}})) == "/data/object/items required");
    CHECK(faults(subscription({{"items", json::object()}})) == "/data/object/items/data required");
    CHECK(faults(subscription({{"items", events::list({json::object()})}})) ==
          "/data/object/items/data/0/price required");
    CHECK(faults(subscription({{"items", events::list(json::array(101, events::item("a")))}})) ==
          "/data/object/items/data too_many");
    CHECK(faults(subscription({{"items", events::list({7})}})) == "/data/object/items/data/0 type");
    CHECK(faults(subscription({{"metadata", json::object{{"userId", 5}}}})) ==
          "/data/object/metadata/userId type");
    CHECK(faults(subscription({{"metadata", json::object{{"userId", std::string(256, 'x')}}}})) ==
          "/data/object/metadata/userId too_long");
    CHECK(faults(events::subscription({events::item("a", {{"current_period_end", -5}})})) ==
          "/data/object/items/data/0/current_period_end range");
    CHECK(faults(events::invoice("a", {{"lines", 5}}), {}, "invoice.paid") == "/data/object/lines type");
    json::array lines;
    for (int n = 0; n < 101; ++n)
        lines.push_back(events::invoice("p" + std::to_string(n)).at("lines").at("data").at(0));
    CHECK(faults(events::invoice("a", {{"lines", events::list(lines)}}), {}, "invoice.paid") ==
          "/data/object/lines/data too_many");
    lines.erase(lines.begin());
    CHECK(faults(events::invoice("a", {{"lines", events::list(lines)}}), {}, "invoice.paid") == "");
    auto const line = json::object{{"period", json::object{{"end", "soon"}}}};
    CHECK(faults(events::invoice("a", {{"lines", events::list({line})}}), {}, "invoice.paid") ==
          "/data/object/lines/data/0/period/end type");
    CHECK(faults_of(parse_payment_event(7)) == " type");

    constexpr auto completed = "checkout.session.completed";
    CHECK(faults(events::checkout_session(), {}, completed) == "");
    CHECK(faults(events::checkout_session({{"livemode", undefined}}), {{"livemode", undefined}}, completed) ==
          "/data/object/livemode required");
    CHECK(faults(events::checkout_session({{"metadata", json::object{{"userId", 5}}}}), {}, completed) ==
          "/data/object/metadata/userId type");
    json::object const nameless{{"id", undefined}, {"payment_intent", undefined}};
    CHECK(faults(events::checkout_session(nameless), {}, completed) == "/data/object/id required");
    CHECK(faults(events::refunded_charge(), {{"created", undefined}}, "charge.refunded") ==
          "/created required");
    CHECK(faults(events::refunded_charge({{"id", 5}, {"payment_intent", 7}}), {}, "charge.refunded") == "");
}

TEST_CASE("only valid and recent signatures are accepted", "[billing][rules]")
{
    auto const now = at(0);
    std::string const payload = R"({"id":"evt_1"})";
    std::vector<core::Secret> const secrets{core::Secret("old"), core::Secret("new")};
    auto const good = [&](std::string const& header, std::string const& body = R"({"id":"evt_1"})") {
        return is_signed(header, body, secrets, now);
    };
    auto const by_new = signature(payload, "new", now);
    auto const v1 = by_new.substr(by_new.find("v1="));
    auto const t = by_new.substr(0, by_new.find(','));
    CHECK(good(by_new));
    CHECK(good(signature(payload, "old", now)));
    CHECK(good(t + ",v1=00,v0=ff," + v1));
    CHECK(good(t + ", " + v1));
    CHECK(good(signature(payload, "new", at(-300))));
    CHECK(good(signature(payload, "new", at(300))));

    CHECK_FALSE(good(signature(payload, "new", at(-301))));
    CHECK_FALSE(good(signature(payload, "new", at(301))));
    CHECK_FALSE(good(signature(payload, "another", now)));
    CHECK_FALSE(good(by_new, payload + ' '));
    CHECK_FALSE(good(""));
    CHECK_FALSE(good(v1));
    CHECK_FALSE(good(t));
    CHECK_FALSE(good(t + ",v0=" + v1.substr(3)));
    CHECK_FALSE(good(t + ",v1="));
    CHECK_FALSE(good(t + ",v1=" + core::upper(v1.substr(3))));
    CHECK_FALSE(good("t=," + v1));
    CHECK_FALSE(good("t=9223372036854775808," + v1));
    CHECK_FALSE(good("t=-9223372036854775808," + v1));
    CHECK_FALSE(good("t=" + std::to_string(s(1)) + ',' + v1));
    CHECK_FALSE(is_signed(by_new, payload, {}, now));
    CHECK_FALSE(is_signed(signature(payload, "", now), payload, secrets, now));
}

TEST_CASE("the id of an entitlement depends only on its key, and different keys give different ids",
    "[billing][rules]")
{
    auto const id = [](core::ScopeId scope, Source source, std::string const& user,
                        std::string const& product, std::string const& transaction) {
        return entitlement_id(scope, source, core::UserId(user), product, transaction).to_string();
    };
    auto const one = id(core::ScopeId{2}, Source::purchases, "ada", "p", "");
    CHECK(one == id(core::ScopeId{2}, Source::purchases, "ada", "p", ""));
    CHECK(one.at(14) == '7'); // version
    CHECK(std::string("89ab").find(one.at(19)) != std::string::npos);
    for (auto const& other : {id(core::ScopeId{3}, Source::purchases, "ada", "p", ""),
             id(core::ScopeId{2}, Source::payments, "ada", "p", ""),
             id(core::ScopeId{2}, Source::purchases, "adap", "", ""),
             id(core::ScopeId{2}, Source::purchases, "ad", "ap", ""),
             id(core::ScopeId{2}, Source::purchases, "ada", "p", "T"),
             id(core::ScopeId{2}, Source::purchases, "ada", "", "p")})
        CHECK(other != one);
    CHECK(
        event_claims::claim_of(Provider::purchases, "e") != event_claims::claim_of(Provider::payments, "e"));
}

TEST_CASE("bytes that are not UTF-8 are replaced in the archive", "[billing][rules]")
{
    CHECK(event_archive::payload_of("pl\xC3\xA4in {}") == "pl\xC3\xA4in {}");
    CHECK(event_archive::payload_of("a\xFF"
                                    "b\xC3") == "a\xEF\xBF\xBD"
                                                "b\xEF\xBF\xBD");
    CHECK(event_archive::payload_of(std::string("a\0b", 3)) == "a\xEF\xBF\xBD"
                                                               "b");
    CHECK(event_archive::payload_of("\xE2\x82\xAC\xE2\x82") == "\xE2\x82\xAC\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(event_archive::payload_of("") == "");
}
