#include "events.hpp"
#include "program.hpp"

#include <pqxx/connection>
#include <pqxx/transaction>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

// The contract with the providers: an event that gets 200 is stored exactly once, and the provider sends
// every other event again.

namespace {

namespace json = boost::json;

/// Simulates the purchase provider: its senders post events until they are stopped, and repeat each event
/// until it is acknowledged. Every event is about a different entitlement.
class Provider {
public:
    using MakeClient = std::function<testing::HttpClient()>;

    explicit Provider(int senders = 6)
    {
        for (int i = 0; i < senders; ++i)
            unsent_.emplace_back();
    }

    ~Provider() { stop(); }

    /// Begins to send. Sends the events first that are not acknowledged yet.
    void start(MakeClient const& make)
    {
        done_ = false;
        for (auto& unsent : unsent_)
            threads_.emplace_back([this, make, &unsent] { send(make(), unsent); });
    }

    /// Stops after the requests in flight.
    void stop()
    {
        done_ = true;
        for (auto& thread : threads_)
            thread.join();
        threads_.clear();
    }

    int acknowledged() const { return applied_ + duplicates_; }

    int unavailable() const { return unavailable_; }

    int unexpected() const { return unexpected_; }

    bool always_asked_to_come_back() const { return !without_retry_after_; }

    /// Ids of the acknowledged events. Call it after stop().
    std::vector<std::string> const& ids() const { return ids_; }

private:
    /// `unsent`: the event that is not acknowledged yet, if any; kept between two starts.
    void send(testing::HttpClient client, std::string& unsent)
    {
        while (!done_) {
            if (unsent.empty()) {
                auto const user = "user-" + std::to_string(++users_);
                unsent = body(events::purchase("INITIAL_PURCHASE", {{"app_user_id", user}}));
            }
            try {
                take(client.post("/webhooks/purchases", unsent), unsent);
            } catch (std::runtime_error const&) { // no response: the result is unknown
                pause();
            }
        }
    }

    /// Pauses, because a sender would repeat refused requests in a tight loop.
    static void pause() { std::this_thread::sleep_for(5ms); }

    void take(testing::HttpResponse const& answer, std::string& unsent)
    {
        if (answer.status == 503) {
            ++unavailable_;
            if (answer.header("retry-after").empty()) without_retry_after_ = true;
            pause();
            return;
        }
        auto const result = result_of(answer);
        if (result == "applied")
            ++applied_;
        else if (result == "duplicate")
            ++duplicates_;
        else
            ++unexpected_;
        std::lock_guard const lock(mutex_);
        ids_.push_back(text(json::parse(unsent).at("event"), "id"));
        unsent.clear();
    }

    std::atomic<bool> done_ = false, without_retry_after_ = false;
    std::atomic<int> users_ = 0, applied_ = 0, duplicates_ = 0, unavailable_ = 0, unexpected_ = 0;
    std::mutex mutex_;
    std::vector<std::string> ids_;
    std::vector<std::string> unsent_; ///< per sender
    std::vector<std::thread> threads_;
};

/// Checks that every acknowledged event is stored, and none twice.
void check_all_there(World const& world, Provider const& provider)
{
    std::string list;
    for (auto const& id : provider.ids())
        list += (list.empty() ? "'" : ",'") + id + "'";
    auto const count = std::to_string(provider.ids().size());
    auto const archived = "FROM events WHERE event_id IN (" + list + ")";
    CHECK(world.postgres.query("SELECT count(*) " + archived) == count);
    CHECK(world.postgres.query("SELECT count(DISTINCT event_id) " + archived) == count);
    CHECK(world.postgres.query(
              "SELECT count(*) FROM entitlements e WHERE e.last_event_id IN (" + list + ")") == count);
    // Includes events whose acknowledgement was lost.
    CHECK(world.postgres.query(R"(
        SELECT count(*)
        FROM events v
        FULL JOIN entitlements e ON e.scope_id = v.scope_id AND e.last_event_id = v.event_id
        WHERE v.event_id IS NULL OR e.last_event_id IS NULL)") == "0");
    CHECK(world.postgres.query(
              "SELECT (SELECT count(*) FROM events) = (SELECT count(*) FROM event_claims)") == "t");
    CHECK(world.postgres.query("SELECT count(*) FROM entitlements WHERE revision <> 1") == "0");
    CHECK(provider.unexpected() == 0);
}

} // namespace

TEST_CASE("kill -9 loses no acknowledged event, and no event is applied twice", "[faults]")
{
    World const world;
    Provider provider;
    for (int round = 1; round <= 3; ++round) {
        BillingProgram program(world);
        provider.start([&] { return program.client(); });
        REQUIRE(eventually([&] { return provider.acknowledged() > 100 * round; }));
        program.kill();
        provider.stop();
    }
    BillingProgram again(world);
    int const before = provider.acknowledged();
    provider.start([&] { return again.client(); });
    REQUIRE(eventually([&] { return provider.acknowledged() > before + 20; }));
    provider.stop();
    check_all_there(world, provider);
}

TEST_CASE(
    "at SIGTERM under load all accepted events get a response, and the program exits with 0", "[faults]")
{
    World const world;
    BillingProgram program(world);
    Provider provider;
    provider.start([&] { return program.client(); });
    REQUIRE(eventually([&] { return provider.acknowledged() > 100; }));
    CHECK(program.terminate() == 0);
    provider.stop();
    check_all_there(world, provider);
    // Every row was acknowledged.
    CHECK(world.postgres.query("SELECT count(*) FROM events") == std::to_string(provider.acknowledged()));
}

TEST_CASE("without PostgreSQL events get 503, and no acknowledged event is lost", "[faults]")
{
    World world;
    auto const client = [&] {
        auto client = world.client();
        client.set("Authorization", purchases_secret);
        return client;
    };
    Provider provider;
    provider.start(client);
    REQUIRE(eventually([&] { return provider.acknowledged() > 100; }));
    SECTION("PostgreSQL is restarted")
    {
        world.postgres.stop();
        int const during = provider.unavailable();
        REQUIRE(eventually([&] { return provider.unavailable() > during + 50; }));
        auto payment = world.client();
        auto const event = body(events::payment("customer.created", {{"id", "cus_1"}}));
        auto const r = payment.post("/webhooks/payments", event,
            {{"Stripe-Signature", signature(event, signing_secret, world.clock.now())}});
        CHECK(r.status == 503);
        CHECK_FALSE(r.header("retry-after").empty());
    }
    SECTION("PostgreSQL crashes")
    {
        world.postgres.kill9();
    }
    world.postgres.start();
    int const before = provider.acknowledged();
    REQUIRE(eventually([&] { return provider.acknowledged() > before + 100; }));
    provider.stop();
    CHECK(provider.always_asked_to_come_back());
    check_all_there(world, provider);
}

TEST_CASE("an erasure that was killed is completed when it is repeated", "[faults]")
{
    constexpr int total = 1000;
    World const world;
    world.postgres.query(
        "INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, user_id, "
        "event_at, payload, is_filed) SELECT " +
        world.scope_id() +
        ", now() - n * interval '1 second', gen_random_uuid(), 'purchases', 'e' || n, 'RENEWAL', 'applied', "
        "'ada', now(), '" +
        body(events::purchase("RENEWAL")) + "', true FROM generate_series(1, " + std::to_string(total) +
        ") n");
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const erased = [&] {
        return std::stoi(world.postgres.query("SELECT count(*) FROM events WHERE erased_at IS NOT NULL"));
    };
    auto const erase = [&](BillingProgram const& program) {
        return program.Program::client("Bearer " + world.key()).del("/v1/users/ada");
    };
    {
        // Another transaction holds the last event, so the erasure cannot be completed.
        pqxx::connection connection(world.postgres.superuser_url());
        pqxx::work held(connection);
        held.exec("SELECT FROM events WHERE event_id = 'e" + std::to_string(total) + "' FOR UPDATE");
        BillingProgram program(world);
        std::thread request([&] {
            try {
                erase(program);
            } catch (std::runtime_error const&) { // no response
            }
        });
        bool const begun = eventually([&] { return erased() > 0; });
        program.kill();
        request.join();
        REQUIRE(begun);
    }
    CHECK(erased() < total);
    CHECK(world.entitlements().size() == 1);
    BillingProgram const again(world);
    CHECK(erase(again).body == R"({"deleted":true})");
    CHECK(erased() == total + 1);
    CHECK(world.entitlements().empty());
}

TEST_CASE("a deferred event that the archive has dropped does not block later ones", "[faults]")
{
    World const world;
    auto master = world.as_master();
    auto const set = [&](std::string const& status) {
        require(
            200, master.put("/v1/admin/tenants/demo", body({{"displayName", "Demo"}, {"status", status}})));
    };
    set("suspended");
    REQUIRE(
        eventually([&] { return result_of(world.post_purchase(events::purchase("TEST"))) == "deferred"; }));
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "deferred");
    // The tenant was suspended for longer than events are archived.
    world.postgres.query("INSERT INTO deferred_events (scope_id, received_at, archive_id) VALUES (" +
                         world.scope_id() + ", '2020-01-01', gen_random_uuid())");
    set("active");
    CHECK(eventually([&] {
        world.clock.advance(1min);
        return world.postgres.query("SELECT count(*) FROM deferred_events") == "0";
    }));
    CHECK(world.entitlements().size() == 1);
}

TEST_CASE("without Redis the service continues to work", "[faults]")
{
    World world;
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const before = world.entitlements();
    SECTION("Redis is stopped")
    {
        world.redis.stop();
    }
    SECTION("Redis hangs")
    {
        world.redis.pause();
    }
    CHECK(world.entitlements() == before);
    auto const next = events::purchase("CANCELLATION", {{"event_timestamp_ms", events::ms(1)}});
    CHECK(result_of(world.post_purchase(next)) == "applied");
    CHECK(world.as_user("ada", "owner").get("/v1/products").status == 200);
}
