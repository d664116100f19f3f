#include "events.hpp"
#include "program.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

// What a provider relies on: what was answered with 200 is there, once; what was not it sends again.

namespace {

namespace json = boost::json;

/// The purchase platform: senders that post events of their own until they are told to stop, each again until
/// it is acknowledged. Every event is about an entitlement of its own.
class Provider {
public:
    using MakeClient = std::function<testing::HttpClient()>;

    explicit Provider(int senders = 6)
    {
        for (int i = 0; i < senders; ++i)
            unsent_.emplace_back();
    }

    ~Provider() { stop(); }

    /// Begins to send, first what is not acknowledged yet.
    void start(MakeClient const& make)
    {
        done_ = false;
        for (auto& unsent : unsent_)
            threads_.emplace_back([this, make, &unsent] { send(make(), unsent); });
    }

    /// Ends after the requests under way.
    void stop()
    {
        done_ = true;
        for (auto& thread : threads_)
            thread.join();
        threads_.clear();
    }

    int acknowledged() const { return applied_ + duplicates_; }

    int unavailable() const { return unavailable_; }

    int duplicates() const { return duplicates_; }

    int unexpected() const { return unexpected_; }

    bool always_asked_to_come_back() const { return !without_retry_after_; }

    /// Ids of the events that were acknowledged. After stop().
    std::vector<std::string> const& ids() const { return ids_; }

private:
    /// `unsent`: the event that is not acknowledged yet, if there is one; kept from one start to the next.
    void send(testing::HttpClient client, std::string& unsent)
    {
        while (!done_) {
            if (unsent.empty()) {
                auto const user = "user-" + std::to_string(++users_);
                unsent = body(events::purchase("INITIAL_PURCHASE", {{"app_user_id", user}}));
            }
            try {
                take(client.post("/webhooks/purchases", unsent), unsent);
            } catch (std::runtime_error const&) { // no answer: nobody knows what came of it
                pause();
            }
        }
    }

    /// Refused at once, a sender would do nothing but ask.
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
    std::vector<std::string> unsent_; ///< for each sender
    std::vector<std::thread> threads_;
};

/// Everything that was acknowledged is there, and nothing is there twice.
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
    // Of those that nobody heard about any more, too.
    CHECK(world.postgres.query("SELECT count(*) FROM events v FULL JOIN entitlements e "
                               "ON e.scope_id = v.scope_id AND e.last_event_id = v.event_id "
                               "WHERE v.event_id IS NULL OR e.last_event_id IS NULL") == "0");
    CHECK(world.postgres.query(
              "SELECT (SELECT count(*) FROM events) = (SELECT count(*) FROM event_claims)") == "t");
    CHECK(world.postgres.query("SELECT count(*) FROM entitlements WHERE revision <> 1") == "0");
    CHECK(provider.unexpected() == 0);
}

} // namespace

TEST_CASE("kill -9 in the middle: nothing acknowledged is lost, nothing is applied twice", "[faults]")
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

TEST_CASE("SIGTERM under load: what was taken is answered, and the program ends with 0", "[faults]")
{
    World const world;
    BillingProgram program(world);
    Provider provider;
    provider.start([&] { return program.client(); });
    REQUIRE(eventually([&] { return provider.acknowledged() > 100; }));
    CHECK(program.terminate() == 0);
    provider.stop();
    check_all_there(world, provider);
    // No row without an acknowledgement.
    CHECK(world.postgres.query("SELECT count(*) FROM events") == std::to_string(provider.acknowledged()));
}

TEST_CASE("without PostgreSQL the provider is told to come back, and nothing is lost", "[faults]")
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
    SECTION("restarted")
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
    SECTION("crashed")
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

TEST_CASE("without Redis the service goes on", "[faults]")
{
    World world;
    REQUIRE(result_of(world.post_purchase(events::purchase("INITIAL_PURCHASE"))) == "applied");
    auto const before = world.entitlements();
    SECTION("away")
    {
        world.redis.stop();
    }
    SECTION("hung")
    {
        world.redis.pause();
    }
    CHECK(world.entitlements() == before);
    auto const next = events::purchase("CANCELLATION", {{"event_timestamp_ms", events::ms(1)}});
    CHECK(result_of(world.post_purchase(next)) == "applied");
    CHECK(world.as_user("ada", "owner").get("/v1/products").status == 200);
}
