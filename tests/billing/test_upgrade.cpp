#include "events.hpp"
#include "support/postgres.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <map>
#include <string>
#include <vector>

// Rows that the previous version has written, before the migrations and during an upgrade.

namespace {

namespace json = boost::json;
using events::day, events::ms, events::rfc3339, events::s;

/// A row of `entitlements` as the previous version wrote it. Times are in days after now.
struct OldRow {
    std::string user, source, status, last_event_type;
    std::string expires = "30"; ///< "" means NULL
    std::string grace = {};
    bool will_renew = true;
    std::string last_event_at = "-1";
};

std::string time_in(std::string const& days)
{
    return days.empty() ? "NULL" : "date_trunc('day', now()) + interval '" + days + " days'";
}

/// The statement of the previous version, which does not know the columns of migration 0006.
void insert(testing::Postgres const& postgres, std::string const& scope_id, OldRow const& row)
{
    postgres.query(R"(
        INSERT INTO entitlements (
            scope_id, entitlement_id, user_id, source, provider_product_id, alternative_product_id, transaction_id,
            status, purchased_at, expires_at, grace_until, will_renew, reason, last_event_type, last_event_at,
            last_rank, last_period_end, last_event_id, last_transaction_id, created_at, updated_at, revision
        )
        VALUES ()" +
                   scope_id + ", gen_random_uuid(), '" + row.user + "', '" + row.source +
                   "', 'pro', '', '', '" + row.status + "', now(), " + time_in(row.expires) + ", " +
                   time_in(row.grace) + ", " + (row.will_renew ? "true" : "false") + ", NULL, '" +
                   row.last_event_type + "', " + time_in(row.last_event_at) +
                   ", 0, 'infinity', 'e', '', now(), now(), 1)");
}

/// Rows, with `access_until renewal_until is_ended is_open` that must result, in days after now.
std::vector<std::pair<OldRow, std::string>> const rows{
    {{"renews", "purchases", "active", "RENEWAL"}, "30 30 false true"},
    {{"cancelled", "purchases", "active", "CANCELLATION", "30", "", false}, "30 - false true"},
    {{"overdue", "purchases", "active", "RENEWAL", "-2"}, "-2 -2 false false"},
    {{"issue", "purchases", "expired", "BILLING_ISSUE", "3"}, "3 - false true"},
    {{"grace", "purchases", "expired", "BILLING_ISSUE", "-3", "4"}, "4 - false true"},
    {{"active grace", "purchases", "active", "SYNC", "-3", "4"}, "4 -3 false true"},
    {{"paused", "purchases", "paused", "SUBSCRIPTION_PAUSED", "9"}, "9 - false true"},
    {{"ended", "purchases", "expired", "EXPIRATION", "9"}, "-1 - true false"},
    {{"ended before", "purchases", "expired", "EXPIRATION", "-9"}, "-9 - true false"},
    {{"lifetime", "purchases", "active", "NON_RENEWING_PURCHASE", "", "", false}, "infinity - false true"},
    {{"granted", "manual", "active", "grant.created", "", "", false}, "infinity - false true"},
    {{"granted for a time", "manual", "active", "grant.created", "5", "", false}, "5 - false true"},
    {{"revoked", "manual", "expired", "grant.deleted", "", "", false}, "-1 - true false"},
    {{"card", "payments", "active", "customer.subscription.updated"}, "30 30 false true"},
    {{"card paid", "payments", "active", "invoice.paid", "60"}, "60 60 false true"},
    {{"card cancelled", "payments", "active", "customer.subscription.updated", "30", "", false},
        "30 - false true"},
    {{"card past due", "payments", "expired", "customer.subscription.updated"}, "-1 - true false"},
    {{"card paused", "payments", "paused", "customer.subscription.updated"}, "-1 - true false"},
    {{"card deleted", "payments", "expired", "customer.subscription.deleted", "-1", "", false},
        "-1 - true false"},
};

void check_rows(testing::Postgres const& postgres)
{
    auto const found = json::parse(postgres.query(R"(
        SELECT json_object_agg(e.user_id, concat_ws(' ', days(e.access_until), coalesce(days(e.renewal_until), '-'),
            CASE WHEN e.is_ended THEN 'true' ELSE 'false' END, CASE WHEN e.is_open THEN 'true' ELSE 'false' END))
        FROM entitlements e)"));
    for (auto const& [row, expected] : rows) {
        INFO(row.user);
        CHECK(text(found, row.user) == expected);
    }
    CHECK(postgres.query("SELECT count(*) FROM entitlements e WHERE e.access_revision <> e.revision OR "
                         "e.leeway_ends_at IS NOT NULL OR e.past_due_until IS NOT NULL OR e.is_past_due OR "
                         "e.lines::text <> '[]'") == "0");
}

/// Whole days between now and a time, as text.
constexpr char const* days_function = R"(
    CREATE FUNCTION days(at timestamptz) RETURNS text LANGUAGE sql AS $$
        SELECT CASE
            WHEN at = 'infinity' THEN 'infinity'
            ELSE extract(day FROM at - date_trunc('day', now()))::text
        END
    $$)";

/// The types of events of the purchase provider that need no other member.
constexpr std::array types{"INITIAL_PURCHASE", "RENEWAL", "CANCELLATION", "UNCANCELLATION", "EXPIRATION",
    "BILLING_ISSUE", "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_EXTENDED", "PRODUCT_CHANGE"};

/// Makes the rows of a scope what the previous version would have written.
void downgrade(World const& world, std::string const& scope_id)
{
    world.postgres.query("UPDATE entitlements SET access_revision = NULL WHERE scope_id = " + scope_id);
    world.postgres.query(R"(
        UPDATE payment_subscriptions s
        SET state = json_build_object('type', s.state -> 'type', 'status', s.state -> 'status',
            'cancels', s.state -> 'cancels', 'endedAt', s.state -> 'endedAt', 'order', s.state -> 'order',
            'items', (
                SELECT coalesce(json_agg(json_build_object('product', i -> 'product',
                    'alternative', i -> 'alternative', 'since', i -> 'since', 'ends', i -> 'ends')), '[]')
                FROM json_array_elements(s.state -> 'items') AS i
            ), 'removed', '[]'::json, 'paid', (
                SELECT json_build_object('order', i.invoice -> 'order', 'lines', (
                    SELECT json_agg(json_build_object('product', l -> 'product', 'ends', l -> 'ends'))
                    FROM json_array_elements(i.invoice -> 'lines') AS l
                ))
                FROM json_array_elements(s.state -> 'invoices') WITH ORDINALITY AS i(invoice, place)
                ORDER BY i.place DESC
                LIMIT 1
            ))
        WHERE s.scope_id = )" +
                         scope_id);
}

/// What an app sees of the user's only entitlement.
std::string shown(World const& world, std::string const& user, std::string const& tenant)
{
    auto const e = world.entitlements(user, tenant).at(0).as_object();
    std::string all;
    for (auto const* name : {"status", "isActive", "accessUntil", "expiresAt", "graceUntil", "willRenew"})
        all += (all.empty() ? "" : " ") + json::serialize(e.at(name));
    return all;
}

/// Two tenants that get the same events. Between the parts of a history, the rows of `demo` are downgraded.
struct Fixture {
    std::string post(json::object const& event, bool is_payment, std::string const& tenant) const
    {
        return result_of(is_payment ? world.post_payment(event, tenant) : world.post_purchase(event, tenant));
    }

    void both(json::object const& event, bool is_payment = false) const
    {
        auto const expected = post(event, is_payment, "other-sandbox");
        CHECK(post(event, is_payment, "demo-sandbox") == expected);
    }

    void check(std::string const& user) const
    {
        CHECK(shown(world, user, "demo-sandbox") == shown(world, user, "other-sandbox"));
    }

    World const world;
};

} // namespace

TEST_CASE("a migration gives the entitlements of the previous version the access that they had", "[upgrade]")
{
    auto const components = billing::definition().components;
    pg::Component older = *components.back();
    REQUIRE(older.name == "billing");
    older.migrations.resize(5);
    auto before = components;
    before.back() = &older;
    testing::Postgres const postgres("billing");
    pg::migrate(postgres.owner_url(), before, postgres.service_role());
    postgres.query(R"(
        INSERT INTO tenants (slug, display_name, status, limits, created_at, updated_at)
        SELECT slug, slug, 'active', '{}', now(), now()
        FROM unnest(ARRAY['demo', 'strict']) AS t(slug);
        INSERT INTO scope_settings (scope_id, document, version, updated_at)
        VALUES (2, '{"pastDueIsActive": true}', 1, now()), (4, '{"pastDueIsActive": false}', 1, now()))");
    postgres.query(days_function);
    for (auto const& [row, expected] : rows)
        insert(postgres, "3", row);

    pg::migrate(postgres.owner_url(), components, postgres.service_role());

    check_rows(postgres);
    auto const open = postgres.query("SELECT count(*) FROM entitlements WHERE is_open");
    CHECK(postgres.query(
              "SELECT string_agg(DISTINCT scope_id::text, ',') || ' ' || sum(active) FROM stats_days") ==
          "3 " + open);
    // The setting of the first tenant is archived in both environments, for reads of the past.
    CHECK(postgres.query("SELECT string_agg(scope_id || ' ' || type, ',' ORDER BY scope_id) FROM events") ==
          "2 SETTINGS,3 SETTINGS");
    CHECK(postgres.query("SELECT count(*) FROM event_claims") == "2");
}

TEST_CASE("entitlements that a replica of the previous version writes get their access", "[upgrade]")
{
    World const world;
    world.postgres.query(days_function);
    for (auto const& [row, expected] : rows)
        insert(world.postgres, world.scope_id(), row);
    check_rows(world.postgres);
    world.clock.set(core::SystemClock().now());
    for (auto const& [row, expected] : rows) {
        INFO(row.user);
        auto const e = world.entitlements(row.user).at(0).as_object();
        CHECK(e.at("isActive") == expected.ends_with("true"));
    }
}

TEST_CASE(
    "the access of a row is computed again when a replica of the previous version changes it", "[upgrade]")
{
    World const world;
    auto const happens = [&](std::string_view type, std::int64_t seconds) {
        REQUIRE(result_of(world.post_purchase(events::purchase(type,
                    {{"event_timestamp_ms", ms(seconds)}, {"expiration_at_ms", ms(30 * day + seconds)}}))) ==
                "applied");
    };
    happens("INITIAL_PURCHASE", 0);
    happens("RENEWAL", 1);
    auto const access = [&] {
        return world.postgres.query(
            "SELECT access_until || ' ' || is_ended || ' ' || is_open || ' ' || lines || ' ' "
            "|| (access_revision = revision) FROM entitlements");
    };
    CHECK(access().ends_with(" true"));
    CHECK(access().find("RENEWAL") != std::string::npos);

    // An EXPIRATION, as the previous version writes it.
    world.postgres.query("UPDATE entitlements SET status = 'expired', last_event_type = 'EXPIRATION', "
                         "last_event_at = '" +
                         rfc3339(5) +
                         "', last_event_id = 'x', will_renew = false, "
                         "revision = revision + 1");
    CHECK(access() == "2026-01-01 00:00:05+00 true false [] true");
    CHECK(world.entitlement("pro.monthly").at("isActive") == false);
    CHECK(text(world.entitlement("pro.monthly"), "accessUntil") == rfc3339(5));
    CHECK(world.postgres.query("SELECT sum(active) || ' ' || sum(churned) FROM stats_days") == "0 1");

    happens("RENEWAL", 10);
    CHECK(world.entitlement("pro.monthly").at("isActive") == true);
    CHECK(text(world.entitlement("pro.monthly"), "accessUntil") == rfc3339(30 * day + 10 + 3600));
    CHECK(access().ends_with(" true"));

    // An older event does not bring back what the previous version has seen.
    world.postgres.query("UPDATE entitlements SET status = 'expired', last_event_type = 'EXPIRATION', "
                         "last_event_at = '" +
                         rfc3339(20) + "', revision = revision + 1");
    happens("RENEWAL", 15);
    CHECK(world.entitlement("pro.monthly").at("isActive") == false);
}

TEST_CASE_METHOD(
    Fixture, "an event about a purchase of the previous version has its usual effect", "[upgrade]")
{
    auto const user = [](std::string_view last, std::string_view next) {
        return std::string(last) + "-" + std::string(next);
    };
    auto const each = [&](auto const& work) {
        for (auto const* last : types)
            for (auto const* next : types)
                work(last, next);
    };
    auto const post = [&](std::string_view type, std::string const& id, std::int64_t seconds) {
        json::object fields{{"app_user_id", id}, {"event_timestamp_ms", ms(seconds)},
            {"expiration_at_ms", ms(30 * day + seconds)}};
        if (type == "BILLING_ISSUE") fields["grace_period_expiration_at_ms"] = ms(35 * day);
        both(events::purchase(type, fields));
    };
    each([&](auto const* last, auto const* next) {
        post("INITIAL_PURCHASE", user(last, next), 0);
        post(last, user(last, next), 10);
    });
    downgrade(world, world.scope_id());
    each([&](auto const* last, auto const* next) {
        INFO("before: " << last << ", now: " << next);
        check(user(last, next));
        post(next, user(last, next), 20);
        check(user(last, next));
    });
}

TEST_CASE_METHOD(
    Fixture, "an event about a card subscription of the previous version has its usual effect", "[upgrade]")
{
    constexpr std::array statuses{"active", "trialing", "past_due", "paused", "unpaid", "incomplete"};
    constexpr std::array next{
        "invoice.paid", "customer.subscription.updated", "customer.subscription.deleted", "charge.refunded"};
    auto const each = [&](auto const& work) {
        for (auto const* status : statuses)
            for (auto const* type : next)
                for (bool const paid : {false, true})
                    work(status, std::string(type), paid,
                        status + std::string("-") + type + (paid ? "-paid" : ""));
    };
    auto const subscription = [](std::string const& user, std::string_view status) {
        return events::subscription({events::item("a")},
            {{"id", "sub_" + user}, {"metadata", json::object{{"userId", user}}}, {"status", status}});
    };
    auto const invoice = [](std::string const& user, std::string const& id) {
        return events::old_invoice(
            "a", {{"id", id + user}, {"subscription", "sub_" + user}, {"charge", "ch_" + user}});
    };
    auto const post = [&](std::string_view type, json::object object, std::int64_t seconds) {
        both(events::payment(type, std::move(object), {{"created", s(seconds)}}), true);
    };
    each([&](std::string const& status, std::string const& /*type*/, bool paid, std::string const& user) {
        post("customer.subscription.updated", subscription(user, status), 10);
        if (paid) post("invoice.paid", invoice(user, "in_1"), 11);
    });
    downgrade(world, world.scope_id());
    each([&](std::string const& status, std::string const& type, bool paid, std::string const& user) {
        INFO("status: " << status << ", paid: " << paid << ", now: " << type);
        if (status != "past_due" || paid) check(user);
        if (type == "invoice.paid")
            post(type, invoice(user, "in_2"), 20);
        else if (type == "charge.refunded")
            post(type, events::refunded_charge({{"id", "ch_" + user}, {"payment_intent", "pi_" + user}}),
                31 * day);
        else
            post(type, subscription(user, type.ends_with("deleted") ? "canceled" : "active"), 20);
        check(user);
    });
}
