#include "erasing.hpp"

#include <set>

using namespace erasing;

namespace {

std::size_t lines_of_type(std::vector<json::object> const& lines, std::string_view type)
{
    return of_type(lines, type).size();
}

/// The invoice of `erasing::paid`, as an export shows it.
json::object invoice_paid_at(std::int64_t seconds)
{
    return {{"invoiceId", "in_1"}, {"paidAt", events::rfc3339(seconds)},
        {"lines", json::array{json::object{
                      {"providerProductId", "a"}, {"expiresAt", events::rfc3339(60 * events::day)}}}}};
}

/// The line without its type.
json::object without_type(json::object line)
{
    line.erase("type");
    return line;
}

} // namespace

TEST_CASE("an export contains everything that is stored of the user", "[export]")
{
    World const world;
    auto const product = world.as_backend("demo").post(
        "/v1/products", body({{"providerProductId", "pro.monthly"}, {"name", "Pro"}, {"kind", "subscription"},
                            {"features", json::array{"export"}}}));
    REQUIRE(result_of(world.post_purchase(bought("ada", 1))) == "applied");
    REQUIRE(result_of(world.post_payment(subscribed("ada", 2))) == "applied");
    REQUIRE(result_of(world.post_payment(paid(3))) == "applied");
    REQUIRE(result_of(world.post_purchase(bought("bob", 4))) == "applied");
    require(201, world.as_backend().post("/v1/users/ada/grants",
                     body({{"productId", text(product.json(), "productId")}, {"reason", "Beta"}})));

    auto const response = world.as_backend().get("/v1/users/ada/export");
    CHECK(response.header("content-type") == "application/x-ndjson");
    auto const lines = exported(response);
    for (auto const& line : lines)
        CHECK(line.begin()->key() == "type");
    auto const of_bob = [](auto const& line) {
        return json::serialize(line).find("\"bob\"") != std::string::npos;
    };
    CHECK(std::ranges::none_of(lines, of_bob));

    auto const shown = world.entitlements();
    auto const entitlements = of_type(lines, "entitlement"), grants = of_type(lines, "grant");
    REQUIRE((entitlements.size() == 2 && grants.size() == 1 && shown.size() == 3)); // both newest first
    CHECK(without_type(grants[0]) == shown[0]);
    CHECK(without_type(entitlements[0]) == shown[1]);
    CHECK(without_type(entitlements[1]) == shown[2]);

    auto const subscriptions = of_type(lines, "subscription");
    REQUIRE(subscriptions.size() == 1);
    CHECK(without_type(subscriptions[0]) ==
          json::object{{"subscriptionId", "sub_1"}, {"userId", "ada"}, {"status", "active"},
              {"cancelsAtPeriodEnd", false}, {"cancelAt", nullptr}, {"cancelReason", nullptr},
              {"endedAt", nullptr}, {"trialEndsAt", nullptr},
              {"lastEventType", "customer.subscription.updated"}, {"lastEventAt", events::rfc3339(2)},
              {"items",
                  json::array{json::object{{"providerProductId", "a"}, {"alternativeProductId", "prod_a"},
                      {"purchasedAt", events::rfc3339(0)}, {"expiresAt", events::rfc3339(30 * events::day)},
                      {"quantity", 1}, {"price", json::object{{"amount", 999}, {"currency", "NZD"}}}}}},
              {"removedItems", json::array()}, {"lastPaidInvoice", invoice_paid_at(3)},
              {"paidInvoices", json::array{invoice_paid_at(3)}}, {"reversals", json::array()}});

    auto const archived = of_type(lines, "event");
    REQUIRE(archived.size() == 4); // with the GRANT
    CHECK(text(archived[0], "eventType") == "GRANT");
    json::array all;
    for (auto const& event : archive(world))
        if (text(event, "userId") == "ada") all.push_back(event);
    REQUIRE(all.size() == archived.size());
    for (std::size_t i = 0; i < archived.size(); ++i) {
        auto event = without_type(archived[i]);
        event["type"] = event.at("eventType");
        event.erase("eventType");
        CHECK(event == all[i]);
    }
}

TEST_CASE("an export contains the paid invoices and the refunds of a subscription", "[export]")
{
    World const world;
    REQUIRE(result_of(world.post_payment(subscribed("ada", 1))) == "applied");
    for (std::int64_t const seconds : {3, 5})
        REQUIRE(result_of(world.post_payment(paid(seconds))) == "applied");
    REQUIRE(result_of(world.post_payment(events::payment("charge.refunded",
                {{"id", "ch_1"}, {"object", "charge"}, {"invoice", "in_1"}, {"refunded", true}},
                {{"created", events::s(7)}}))) == "applied");
    auto const subscriptions = of_type(exported(world, "ada"), "subscription");
    REQUIRE(subscriptions.size() == 1);
    CHECK(subscriptions[0].at("paidInvoices") == json::array{invoice_paid_at(3), invoice_paid_at(5)});
    CHECK(subscriptions[0].at("lastPaidInvoice") == invoice_paid_at(5));
    auto const& reversals = subscriptions[0].at("reversals").as_array();
    REQUIRE(reversals.size() == 1);
    CHECK(text(reversals[0], "eventType") == "charge.refunded");
    CHECK(text(reversals[0], "eventAt") == events::rfc3339(7));
    // The refund names no user, but the invoice connects it with the subscription.
    auto const archived = of_type(exported(world, "ada"), "event");
    REQUIRE(archived.size() == 4);
    CHECK(text(archived[0], "eventType") == "charge.refunded");
    CHECK(archived[0].at("payload").is_object());
}

TEST_CASE("an export shows access under the tenant's settings, in both environments", "[export]")
{
    World const world;
    require(200, world.as_backend("demo").patch(
                     "/v1/settings", R"({"pastDueIsActive":true,"renewalLeewaySeconds":60})"));
    for (bool const live : {false, true}) {
        CAPTURE(live);
        std::string const tenant = live ? "demo" : "demo-sandbox";
        auto const object =
            events::subscription({events::item("a")}, {{"status", "past_due"}, {"livemode", live}});
        REQUIRE(result_of(world.post_payment(events::payment("customer.subscription.updated", object,
                                                 {{"livemode", live}, {"created", events::s(0)}}),
                    tenant)) == "applied");
        auto const lines = of_type(exported(world, "ada", tenant), "entitlement");
        REQUIRE(lines.size() == 1);
        CHECK(without_type(lines[0]) == world.entitlement("a", "ada", tenant));
        CHECK(text(lines[0], "status") == "active");
        CHECK(lines[0].at("isActive") == true);
    }
}

TEST_CASE("an export has no lines of other users, other environments and other tenants", "[export]")
{
    World const world;
    REQUIRE(result_of(world.post_purchase(bought("ada"))) == "applied");
    CHECK(exported(world, "bob").empty());
    CHECK(exported(world, "ADA").empty());
    CHECK(exported(world, "ada", "demo").empty());
    CHECK(exported(world, "ada", "other-sandbox").empty());
    CHECK(exported(world, "ada").size() == 2);
}

TEST_CASE("users export only their own data", "[export]")
{
    World const world;
    REQUIRE(result_of(world.post_purchase(bought("ada"))) == "applied");
    auto const path = "/v1/users/ada/export";
    CHECK(exported(require(200, world.as_user("ada").get(path))).size() == 2);
    CHECK(world.as_user("bob").get(path).status == 404);
    CHECK(exported(require(200, world.as_user("bob", "admin").get(path))).size() == 2);
    CHECK(world.client().get(path).status == 401);
    CHECK(world.as_backend().get("/v1/users/" + std::string(256, 'x') + "/export").status == 400);
}

TEST_CASE("an export does not contain the payloads of other users' events that name the user", "[export]")
{
    World const world;
    REQUIRE(result_of(world.post_purchase(bought("bob", 1, {{"aliases", json::array{"ada", "bob"}}}))) ==
            "applied");
    REQUIRE(world
                .post_purchase({{"event",
                    json::object{{"id", "t"}, {"type", "TRANSFER"}, {"transferred_from", json::array{"ada"}},
                        {"transferred_to", json::array{"bob"}}}}})
                .status == 200);
    // An invoice that waits for its subscription has no user yet, but its metadata names ada only.
    REQUIRE(result_of(world.post_payment(events::payment("invoice.paid", events::invoice("a")))) ==
            "skipped awaiting_subscription");
    auto const lines = exported(world, "ada");
    REQUIRE(lines.size() == 3);
    CHECK(text(lines[0], "eventType") == "invoice.paid");
    CHECK(lines[0].at("payload").is_object());
    for (auto const& line : lines) {
        CHECK(text(line, "userId") == "ada");
        CHECK(json::serialize(line).find("bob") == std::string::npos);
    }
    CHECK(lines[1].at("payload").is_null());
    CHECK(lines[2].at("payload").is_null());
    // The exports of bob contain his own event, which names ada.
    CHECK(exported(world, "bob").size() == 3);
}

TEST_CASE("the export of a former user of a subscription contains only the removed items", "[export]")
{
    World const world;
    REQUIRE(result_of(world.post_payment(subscribed("ada", 1))) == "applied");
    REQUIRE(result_of(world.post_payment(subscribed("bob", 2))) == "applied");
    auto const of_ada = of_type(exported(world, "ada"), "subscription");
    REQUIRE(of_ada.size() == 1);
    CHECK(text(of_ada[0], "userId") == "ada");
    CHECK(of_ada[0].at("status").is_null());
    for (auto const* member : {"items", "paidInvoices", "reversals"})
        CHECK(of_ada[0].at(member).as_array().empty());
    REQUIRE(of_ada[0].at("removedItems").as_array().size() == 1);
    CHECK(text(of_ada[0].at("removedItems").at(0), "removedAt") == events::rfc3339(2));
    auto const of_bob = of_type(exported(world, "bob"), "subscription");
    REQUIRE(of_bob.size() == 1);
    CHECK(of_bob[0].at("items").as_array().size() == 1);
    CHECK(of_bob[0].at("removedItems").as_array().empty());
}

TEST_CASE("long exports contain every row once", "[export]")
{
    constexpr int rows = 230;
    World const world;
    REQUIRE(result_of(world.post_purchase(bought("ada"))) == "applied");
    auto const copy = [&](std::string const& table, std::string const& changes) {
        world.postgres.query(
            "INSERT INTO " + table + " SELECT (jsonb_populate_record(t, jsonb_build_object(" + changes +
            "))).* FROM " + table + " t, generate_series(2, " + std::to_string(rows) + ") n");
    };
    copy("entitlements", "'entitlement_id', gen_random_uuid(), 'transaction_id', n::text");
    copy("events", "'archive_id', gen_random_uuid(), 'event_id', 'copy' || n");
    REQUIRE(result_of(world.post_payment(subscribed("ada", 2))) == "applied");
    copy("payment_subscriptions", "'subscription_id', 'sub_copy' || n");
    auto const lines = exported(world, "ada");
    CHECK(lines_of_type(lines, "entitlement") == rows + 1); // and the entitlement of the subscription
    CHECK(lines_of_type(lines, "event") == rows + 1);
    CHECK(lines_of_type(lines, "subscription") == rows);
    std::set<std::string> ids;
    for (auto const& line : lines) {
        auto const type = text(line, "type");
        auto const* id = type == "entitlement" ? "entitlementId"
                         : type == "event"     ? "eventId"
                                               : "subscriptionId";
        ids.insert(type + text(line, id));
    }
    CHECK(ids.size() == lines.size());
}

TEST_CASE("an export after an erasure is empty", "[export]")
{
    World const world;
    REQUIRE(result_of(world.post_purchase(bought("ada", 1))) == "applied");
    REQUIRE(result_of(world.post_payment(subscribed("ada", 2))) == "applied");
    require(200, delete_account(world, "ada"));
    CHECK(exported(world, "ada").empty());
}
