#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>

// For any request body, a webhook does not respond with 5xx, stores no row without a valid credential, and
// archives a malformed event.

namespace {

namespace json = boost::json;

std::string stored(World const& world)
{
    return world.postgres.query(
        R"(
        SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM event_claims) + (
            SELECT count(*)
            FROM entitlements
        ) + (SELECT count(*) FROM payment_subscriptions))");
}

/// The number of refused credentials of a provider, read from /metrics.
int refused(World const& world, std::string const& provider)
{
    testing::HttpClient operations("http://127.0.0.1:" + std::to_string(world.host->ops_port()));
    auto const metrics = operations.get("/metrics").body;
    auto const name =
        "tetrad_billing_events_total{provider=\"" + provider + "\",result=\"refused\",service=\"billing\"} ";
    auto const at = metrics.find(name);
    return at == std::string::npos ? -1 : std::stoi(metrics.substr(at + name.size()));
}

std::string const& purchase()
{
    static std::string const event = body(events::purchase("INITIAL_PURCHASE"));
    return event;
}

std::string const& payment()
{
    static std::string const event = body(
        events::payment("customer.subscription.created", events::subscription({events::item("price_pro")})));
    return event;
}

/// A long text that exceeds every index's limit.
std::string long_text()
{
    std::mt19937 random(7);
    std::string text(70'000, ' ');
    std::ranges::generate(text, [&] { return static_cast<char>('!' + random() % 90); });
    return text;
}

/// Values of unexpected types and forms.
json::array const& strange()
{
    static json::array const values{nullptr, true, "", "x", long_text(), std::string("a\0b", 3), "\U0001F600",
        -1, 0, 1e300, -1e300, 0.5, 253402300800000, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::uint64_t>::max(), json::array(), json::array{nullptr}, json::object(),
        json::object{{"id", json::array()}}};
    return values;
}

/// Calls `look` with every variant of `document` in which one value is replaced by an unexpected one or
/// removed.
void with_each_strange(json::value& document, json::value& part, std::function<void()> const& look)
{
    auto const put = [&](json::value& place) {
        json::value const before = place;
        for (auto const& value : strange()) {
            place = value;
            look();
        }
        place = before;
        with_each_strange(document, place, look);
    };
    if (auto* object = part.if_object()) {
        for (auto& member : *object)
            put(member.value());
        json::object const whole = *object;
        for (auto const& member : whole) {
            object->erase(member.key());
            look();
            *object = whole;
        }
    } else if (auto* array = part.if_array()) {
        for (auto& item : *array)
            put(item);
    }
}

/// Posts every variant of an event. Returns the statuses other than 200 and 400.
std::string strangely_answered(
    json::object const& event, std::function<testing::HttpResponse(std::string const&)> const& post)
{
    std::string found;
    json::value document = event;
    with_each_strange(document, document, [&] {
        auto const text = json::serialize(document);
        auto const r = post(text);
        if (r.status != 200 && r.status != 400)
            found += std::to_string(r.status) + ' ' + text.substr(0, 2000) + '\n';
    });
    return found;
}

} // namespace

TEST_CASE("an event of the purchase provider with a wrong secret is counted and not stored", "[bad-input]")
{
    World const world;
    int count = 0;
    for (auto const* value : {"", "purchases-secret", "Bearer purchases-secreT", "bearer purchases-secret",
             "Bearer purchases-secret2", "Bearer", "Bearer other", "Basic cHVyY2hhc2VzLXNlY3JldA=="}) {
        CAPTURE(value);
        auto client = world.client();
        client.set("Authorization", value);
        auto const r = client.post("/webhooks/purchases", purchase());
        CHECK(r.status == 401);
        CHECK(error_of(r) == "UNAUTHORIZED");
        CHECK(refused(world, "purchases") == ++count);
    }
    CHECK(world.as_master().post("/webhooks/purchases", purchase()).status == 401);
    CHECK(world.as_backend().post("/webhooks/purchases", purchase()).status == 401);
    CHECK(stored(world) == "0");
    CHECK(result_of(world.post_purchase(purchase())) == "applied");
}

TEST_CASE(
    "an event of the payments provider with an invalid signature is counted and not stored", "[bad-input]")
{
    World const world;
    auto const now = world.clock.now();
    auto const good = signature(payment(), signing_secret, now);
    auto const hex = good.substr(good.find("v1=") + 3), time = good.substr(2, good.find(',') - 2);
    int count = 0;
    for (auto const& header :
        std::vector<std::string>{"", "t=", "v1=" + hex, "t=" + time,
            "t=" + time + ",v1=", "t=" + time + ",v1=" + hex.substr(1), "t=" + time + ",v0=" + hex,
            "t=" + time + ",v1=" + hex + "0", "t=0,v1=" + hex, "t=-1,v1=" + hex,
            "t=99999999999999999999,v1=" + hex, "t=" + time + "x,v1=" + hex,
            "t=" + time + ",v1=" + std::string(64, '0'), signature(payment(), "whsec_other", now),
            signature(payment() + " ", signing_secret, now), signature(payment(), signing_secret, now - 301s),
            signature(payment(), signing_secret, now + 301s), std::string(2000, ','),
            "\"t=" + time + "\",v1=" + hex}) {
        CAPTURE(header);
        auto const r = world.client().post("/webhooks/payments", payment(), {{"Stripe-Signature", header}});
        CHECK(r.status == 401);
        CHECK(refused(world, "payments") == ++count);
    }
    CHECK(world.client().post("/webhooks/payments", payment()).status == 401);
    CHECK(stored(world) == "0");
    for (auto const& header : {good, "v1=" + std::string(64, '0') + "," + good, good + ",v0=x,v1=00"})
        CHECK(world.client().post("/webhooks/payments", payment(), {{"Stripe-Signature", header}}).status ==
              200);
}

TEST_CASE("a tenant without secrets accepts no events", "[bad-input]")
{
    World const world(World::Options{.configured = false});
    CHECK(world.post_purchase(purchase()).status == 401);
    CHECK(world.post_payment(payment()).status == 401);
    auto client = world.client();
    CHECK(client.post("/webhooks/purchases", purchase(), {{"Authorization", ""}}).status == 401);
    auto const unsigned_ = signature(payment(), "", world.clock.now());
    CHECK(client.post("/webhooks/payments", payment(), {{"Stripe-Signature", unsigned_}}).status == 401);
    CHECK(stored(world) == "0");
    auto nobody = world.client("nobody");
    CHECK(
        nobody.post("/webhooks/purchases", purchase(), {{"Authorization", purchases_secret}}).status == 404);
    CHECK(nobody.post("/webhooks/payments", payment()).status == 404);
}

TEST_CASE("a malformed event of either provider gets 400 and is archived", "[bad-input]")
{
    World const world;
    std::vector<std::string> const bodies{"", " ", "{", "null", "[]", "\"\"", "0", "{}", "{\"event\":null}",
        "{\"event\":[]}", purchase().substr(0, purchase().size() / 2),
        payment().substr(0, payment().size() / 2), purchase() + "}", "\xff\xfe", std::string("\0", 1),
        "{\"event\":{\"id\":\"a\"}}", "{\"id\":\"evt_1\"}", "{\"id\":1,\"type\":2,\"data\":3}",
        std::string(100, '[') + std::string(100, ']'), "<xml/>", "event=1"};
    for (auto const& body : bodies) {
        CAPTURE(body);
        for (auto const& r : {world.post_purchase(body), world.post_payment(body)}) {
            CHECK(r.status == 400);
            CHECK((error_of(r) == "MALFORMED_JSON" || error_of(r) == "VALIDATION_ERROR"));
        }
    }
    auto backend = world.as_backend();
    auto const kept = all_items(backend, "/v1/events?result=rejected");
    CHECK(kept.size() == 2 * bodies.size());
    CHECK(world.postgres.query("SELECT count(*) FROM entitlements") == "0");

    // A malformed event does not claim its id: the same event, well-formed, is accepted afterwards.
    auto const event = events::purchase("INITIAL_PURCHASE");
    auto half = event;
    half["event"].as_object().erase("product_id");
    CHECK(faults_of(world.post_purchase(half)) == "/event/product_id required");
    CHECK(result_of(world.post_purchase(event)) == "applied");
}

TEST_CASE("unexpected values in an event of the purchase provider get 200 or 400", "[bad-input]")
{
    World const world;
    auto client = world.client();
    client.set("Authorization", purchases_secret);
    auto const post = [&](std::string const& text) { return client.post("/webhooks/purchases", text); };
    for (auto const* type : {"PRODUCT_CHANGE", "CANCELLATION"})
        CHECK(strangely_answered(events::purchase(type, {{"new_product_id", "other"}}), post) == "");
    // The archived events can be read.
    auto backend = world.as_backend();
    CHECK(backend.get("/v1/events?limit=100").status == 200);
    CHECK(backend.get("/v1/users/ada/entitlements").status == 200);
    CHECK(backend.get("/v1/users/ada/entitlements?at=2026-01-01T00:00:00Z").status == 200);
}

TEST_CASE("unexpected values in an event of the payments provider get 200 or 400", "[bad-input]")
{
    World const world;
    auto client = world.client();
    auto const post = [&](std::string const& text) {
        return client.post("/webhooks/payments", text,
            {{"Stripe-Signature", signature(text, signing_secret, world.clock.now())}});
    };
    auto updated =
        events::payment("customer.subscription.updated", events::subscription({events::item("price_pro")}));
    updated["data"].as_object()["previous_attributes"] = json::object{
        {"status", "trialing"}, {"cancel_at", nullptr}, {"metadata", json::object{{"userId", "bob"}}}};
    CHECK(strangely_answered(updated, post) == "");
    CHECK(strangely_answered(events::payment("invoice.paid", events::invoice("price_pro")), post) == "");
    CHECK(strangely_answered(events::payment("invoice.paid", events::old_invoice("price_pro")), post) == "");
    CHECK(
        strangely_answered(
            events::payment("charge.refunded", events::refunded_charge({{"invoice", "in_1"}})), post) == "");
    CHECK(strangely_answered(events::payment("charge.dispute.closed", events::dispute("lost")), post) == "");
    CHECK(strangely_answered(events::payment("invoice_payment.paid", events::invoice_payment()), post) == "");
    CHECK(strangely_answered(
              events::payment("checkout.session.completed", events::checkout_session()), post) == "");
    auto backend = world.as_backend();
    CHECK(backend.get("/v1/events?limit=100").status == 200);
    CHECK(backend.get("/v1/users/ada/entitlements").status == 200);
    CHECK(backend.get("/v1/users/ada/entitlements?at=2026-01-01T00:00:00Z").status == 200);
}

TEST_CASE("the body is limited to 1 MiB, inclusive", "[bad-input]")
{
    World const world;
    auto const of_size = [](std::size_t size) {
        auto event = body(events::purchase("INITIAL_PURCHASE"));
        return event + std::string(size - event.size(), ' ');
    };
    CHECK(result_of(world.post_purchase(of_size(1 << 20))) == "applied");
    CHECK(world.post_purchase(of_size((1 << 20) + 1)).status == 413);
    CHECK(world.client().get("/webhooks/purchases").status == 405);
}
