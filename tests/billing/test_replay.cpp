#include "histories/generator.hpp"
#include "syncing.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

// The archive explains all stored rows: webhooks, and the syncs, backfills, grants and settings that this
// service archives as events of its own.

namespace {

namespace json = boost::json;
using events::day, events::s;

constexpr std::uint64_t history_count = 40;

/// All rows that events have left in the sandbox of `demo`, without the times of their receipt, and without
/// what the announcement of lapses notes.
std::string rows(World const& world)
{
    return world.postgres.query(R"(
        SELECT (
            SELECT coalesce(string_agg((
                to_jsonb(e) - 'created_at' - 'updated_at' - 'revision' - 'access_revision' - 'is_open'
            )::text, E'\n' ORDER BY e.user_id, e.entitlement_id), '')
            FROM entitlements e
            WHERE e.scope_id = )" +
                                world.scope_id() + R"(
        ) || E'\n' || (
            SELECT coalesce(string_agg((to_jsonb(p) - 'updated_at' - 'revision')::text, E'\n'
                ORDER BY p.subscription_id), '')
            FROM payment_subscriptions p
            WHERE p.scope_id = )" +
                                world.scope_id() + R"(
        ) || E'\n' || (
            SELECT coalesce(string_agg((to_jsonb(r) - 'received_at')::text, E'\n'
                ORDER BY r.reference, r.archive_id), '')
            FROM payment_references r
            WHERE r.scope_id = )" +
                                world.scope_id() + R"(
        ))");
}

/// The lines of one text that the other one does not have.
std::string difference(std::string const& expected, std::string const& actual)
{
    auto const lines_of_text = [](std::string const& text) {
        std::vector<std::string> found;
        for (std::size_t at = 0; at < text.size();) {
            auto const end = std::min(text.find('\n', at), text.size());
            found.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        std::ranges::sort(found);
        return found;
    };
    auto const before = lines_of_text(expected), after = lines_of_text(actual);
    std::string all;
    for (auto const& line : before)
        if (!std::ranges::binary_search(after, line)) all += "- " + line + '\n';
    for (auto const& line : after)
        if (!std::ranges::binary_search(before, line)) all += "+ " + line + '\n';
    return all;
}

/// Receives random histories, and between their events syncs, grants and changes of settings.
class Writer {
public:
    explicit Writer(std::uint64_t seed) : random_(seed) // NOLINT(cert-msc51-cpp): reproducible
    {
        for (auto const& product : histories::make_history(0).catalog) {
            auto const made = require(201,
                backend().post("/v1/products",
                    body({{"providerProductId", product.id}, {"name", product.id}, {"kind", product.kind}})));
            products_.push_back(text(made.json(), "productId"));
        }
    }

    void receive(histories::History const& history)
    {
        auto const order = histories::orders(history, 3).at(pick(3));
        for (auto const index : order) {
            auto const& webhook = history.events[index];
            auto const r =
                webhook.payment ? world.post_payment(webhook.event) : world.post_purchase(webhook.event);
            INFO(r.body);
            REQUIRE(r.status == 200);
            if (webhook.payment) remember(webhook.event);
            if (pick(4) == 0) act(history.users[pick(history.users.size())]);
        }
    }

    /// Fetches all subscriptions of the provider in a new state.
    void backfill()
    {
        change_subscriptions();
        set_keys(true);
        auto const id = text(
            require(202, backend().post("/v1/backfills", R"({"source":"payments"})")).json(), "backfillId");
        REQUIRE(eventually(
            [&] { return text(backend().get("/v1/backfills/" + id).json(), "status") == "done"; }));
        set_keys(false);
    }

    /// Keys are set only while they are needed, so that no other sync is requested.
    void set_keys(bool has)
    {
        auto const key = [&](char const* value) { return has ? json::value(value) : json::value(); };
        require(200, backend().patch("/v1/settings", body({{"purchasesApiKey", key("sk_provider")},
                                                         {"paymentsApiKey", key("sk_test_provider")}})));
        if (has) return;
        REQUIRE(eventually([&] {
            return world.postgres.query("SELECT count(*) FROM jobs WHERE queue = 'reconcile'") == "0" &&
                   world.postgres.query("SELECT count(*) FROM sync_requests") == "0";
        }));
    }

    testing::HttpClient backend() const { return world.as_backend("demo"); }

    PurchasesProvider const purchases;
    PaymentsProvider const payments;
    World world{options_for(purchases, payments)};

private:
    std::size_t pick(std::size_t count) { return random_() % count; }

    /// Remembers the subscription of the event, so that the provider knows it.
    void remember(json::object const& event)
    {
        auto const& object = event.at("data").at("object").as_object();
        if (text(object, "object") != "subscription") return;
        subscriptions_[text(object, "id")] = object.at("metadata");
    }

    void act(std::string const& user)
    {
        switch (pick(4)) {
        case 0:
            return sync_user(user);
        case 1:
            return give(user);
        case 2:
            return take_back();
        default:
            world.clock.advance(1s);
            require(200, backend().patch("/v1/settings", body({{"pastDueIsActive", pick(2) == 0},
                                                             {"renewalLeewaySeconds", 60 * pick(60)}})));
        }
    }

    void sync_user(std::string const& user)
    {
        purchases.has(user, in_app_subscriptions(), in_app_consumables());
        change_subscriptions();
        set_keys(true);
        require(200, sync(world, user));
        set_keys(false);
    }

    json::object in_app_subscriptions()
    {
        static constexpr std::array products{"pro.monthly", "pro.yearly", "rc_promo_pro_monthly"};
        static constexpr std::array stores{"app_store", "play_store", "promotional"};
        json::object found;
        for (auto const* product : products) {
            if (pick(3) == 0) continue;
            auto const end =
                json::value(events::rfc3339(static_cast<std::int64_t>(pick(60)) * day - 5 * day));
            json::object fields{{"is_sandbox", true}, {"store", stores[pick(stores.size())]},
                {"expires_date", pick(8) == 0 ? json::value() : end}};
            if (pick(5) == 0) fields["refunded_at"] = events::rfc3339(-day);
            if (pick(5) == 0) fields["billing_issues_detected_at"] = events::rfc3339(-day);
            if (pick(5) == 0) fields["unsubscribe_detected_at"] = events::rfc3339(-day);
            if (pick(8) == 0) fields["auto_resume_date"] = events::rfc3339(70 * day);
            found[product] = subscription(std::move(fields));
        }
        return found;
    }

    json::object in_app_consumables()
    {
        json::array coins;
        for (auto count = pick(3); count > 0; --count)
            coins.push_back(purchase("coins-" + std::to_string(pick(4)), {{"is_sandbox", true}}));
        return {{"coins", std::move(coins)}};
    }

    /// Gives each subscription of the provider a random state. Some are gone.
    void change_subscriptions()
    {
        static constexpr std::array statuses{
            "active", "trialing", "past_due", "paused", "unpaid", "canceled"};
        json::array all;
        for (auto const& [id, metadata] : subscriptions_) {
            if (pick(8) == 0) continue;
            std::string const status = statuses[pick(statuses.size())];
            json::object changes{{"status", status}, {"metadata", metadata}};
            if (status == "canceled") changes["ended_at"] = s(-60);
            json::object const price{{"id", pick(2) == 0 ? "price_pro" : "price_team"}, {"currency", "nzd"}};
            changes["items"] = json::array{json::object{{"price", price}}};
            all.push_back(card_subscription(id, changes));
        }
        payments.has(all);
    }

    void give(std::string const& user)
    {
        json::object fields{{"productId", products_[pick(products_.size())]}, {"reason", "A gift"}};
        if (pick(2) == 0)
            fields["expiresAt"] = events::rfc3339(static_cast<std::int64_t>(1 + pick(50)) * day);
        auto const path = "/v1/users/" + core::percent_encode(user) + "/grants";
        auto const given = require(201, world.as_backend().post(path, body(fields)));
        grants_.push_back(path + '/' + text(given.json(), "entitlementId"));
    }

    void take_back()
    {
        if (!grants_.empty()) require(200, world.as_backend().del(grants_[pick(grants_.size())]));
    }

    std::mt19937 random_;
    std::vector<std::string> products_, grants_;
    std::map<std::string, json::value> subscriptions_; ///< `metadata`, by id
};

void replay_all(World const& world, json::array const& archived)
{
    auto backend = world.as_backend();
    for (auto const& event : archived) {
        auto const id = core::percent_encode(text(event, "eventId"));
        require(200, backend.post("/v1/events/" + id + "/replay", ""));
    }
}

void forget(World const& world)
{
    world.postgres.query(
        "DELETE FROM entitlements; DELETE FROM payment_subscriptions; DELETE FROM payment_references");
}

/// The entitlements of a response, without the times of receipt.
std::string shown(testing::HttpResponse const& response)
{
    std::set<std::string> lines;
    auto entitlements = require(200, response).json().at("entitlements").as_array();
    for (auto& e : entitlements) {
        for (auto const* member : {"createdAt", "updatedAt"})
            e.as_object().erase(member);
        lines.insert(json::serialize(e) + '\n');
    }
    std::string all;
    for (auto const& line : lines)
        all += line;
    return all;
}

} // namespace

TEST_CASE("a replay of webhooks, syncs, backfills, grants and settings gives the same rows, in any order",
    "[replay]")
{
    Writer writer(1);
    auto const& world = writer.world;
    for (std::uint64_t seed = 0; seed < history_count; ++seed)
        writer.receive(histories::make_history(seed, '-' + std::to_string(seed)));
    writer.backfill();
    auto const expected = rows(world);
    auto backend = world.as_backend();
    auto archived = all_items(backend, "/v1/events", 100);
    std::map<std::string, int> own;
    for (auto const& event : archived)
        if (text(event, "provider") == "internal") ++own[text(event, "type")];
    for (auto const* type : {"SYNC", "GRANT", "REVOKE", "SETTINGS"})
        CHECK(own[type] > 3);

    replay_all(world, archived); // no row is missing, so nothing changes
    CHECK(difference(expected, rows(world)) == "");
    forget(world);
    replay_all(world, archived); // newest first
    CHECK(difference(expected, rows(world)) == "");
    forget(world);
    std::ranges::reverse(archived);
    replay_all(world, archived);
    CHECK(difference(expected, rows(world)) == "");
    forget(world);
    std::ranges::shuffle(archived, std::mt19937(1)); // NOLINT(cert-msc51-cpp): reproducible
    replay_all(world, archived);
    CHECK(difference(expected, rows(world)) == "");
}

TEST_CASE("a read as of the present gives the stored entitlements, with what syncs and backfills found",
    "[replay][as-of]")
{
    Writer writer(2);
    auto& world = writer.world;
    std::vector<std::string> users;
    for (std::uint64_t seed = 0; seed < history_count; ++seed) {
        auto const history = histories::make_history(seed, '-' + std::to_string(seed));
        users.insert(users.end(), history.users.begin(), history.users.end());
        writer.receive(history);
    }
    writer.backfill();
    auto const after_all_events = testing::FakeClock::start + std::chrono::days(10'000);
    world.clock.set(after_all_events);
    auto backend = world.as_backend();
    for (auto const& user : users) {
        CAPTURE(user);
        auto const path = "/v1/users/" + core::percent_encode(user) + "/entitlements";
        auto const as_of = shown(backend.get(path + "?at=" + core::to_rfc3339(after_all_events)));
        CHECK(difference(shown(backend.get(path)), as_of) == "");
    }
}
