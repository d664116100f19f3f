#include "erasing.hpp"
#include "support/user_markers.hpp"

#include <atomic>
#include <functional>
#include <thread>

using namespace erasing;

// Events, grants and replays that run at the same time as the erasure of their user.

namespace {

constexpr char const* user = "marker-user";

/// Calls `work(n)` with n = 0, 1, … on several threads until it is destroyed.
class Load {
public:
    Load(int threads, std::function<void(int)> work) : work_(std::move(work))
    {
        for (int i = 0; i < threads; ++i)
            threads_.emplace_back([this] {
                while (!done_)
                    work_(next_++);
            });
    }

    ~Load()
    {
        done_ = true;
        for (auto& thread : threads_)
            thread.join();
    }

    Load(Load const&) = delete;
    Load& operator=(Load const&) = delete;

    int started() const { return next_; }

private:
    std::function<void(int)> work_;
    std::atomic<bool> done_ = false;
    std::atomic<int> next_ = 0;
    std::vector<std::thread> threads_;
};

/// Posts an event of the user: a purchase, an event of a subscription, or an invoice.
testing::HttpResponse post_event(World const& world, int n)
{
    auto const subscription = "sub_" + std::string(user) + std::to_string(n / 3 % 5);
    switch (n % 3) {
    case 0:
        return world.post_purchase(bought(user, n, {{"product_id", "pro" + std::to_string(n % 7)}}));
    case 1:
        return world.post_payment(subscribed(user, n, subscription));
    default:
        return world.post_payment(paid(n, subscription));
    }
}

} // namespace

TEST_CASE("events that arrive during the deletion of an account leave nothing behind", "[erasure]")
{
    for (bool const told : {false, true}) {
        CAPTURE(told);
        World world;
        if (told) listen(world);
        std::atomic<int> failed = 0;
        {
            Load const load(4, [&](int n) {
                if (post_event(world, n).status != 200) ++failed;
            });
            REQUIRE(eventually([&] { return load.started() > 60; }));
            require(200, delete_account(world, user));
            auto const after = load.started();
            REQUIRE(eventually([&] { return load.started() > after + 60; }));
        }
        CHECK(failed == 0);
        sweep(world);
        CHECK(testing::find_marker(world.postgres, user).empty());
        CHECK(world.entitlements(user).empty());
        auto const all = archive(world);
        for (auto const& event : all)
            CHECK(is_pseudonym(event.at("userId")));
        CHECK(all.size() > 120);
    }
}

TEST_CASE("the second erasure deletes what a request has stored during the first", "[erasure]")
{
    World world;
    require(200, delete_account(world, user));
    // A request that had checked the user before the account was deleted, and commits after the first
    // erasure.
    world.postgres.query("CREATE TABLE hidden AS SELECT * FROM erased_users; DELETE FROM erased_users");
    REQUIRE(result_of(world.post_purchase(bought(user, 1))) == "applied");
    REQUIRE(result_of(world.post_payment(subscribed(user, 2, "sub_marker-user"))) == "applied");
    world.postgres.query("INSERT INTO erased_users SELECT * FROM hidden; DROP TABLE hidden");
    CHECK_FALSE(testing::find_marker(world.postgres, user).empty());
    sweep(world);
    CHECK(testing::find_marker(world.postgres, user).empty());
    CHECK(result_of(world.post_payment(paid(3, "sub_marker-user"))) == "skipped user_erased");
}

TEST_CASE("replays during an erasure do not bring back the user", "[erasure]")
{
    World const world;
    constexpr int events = 60;
    std::vector<std::string> ids;
    for (int n = 0; n < events; ++n) {
        auto const event = bought(user, n, {{"product_id", "pro" + std::to_string(n)}});
        ids.push_back(text(event.at("event"), "id"));
        REQUIRE(result_of(world.post_purchase(event)) == "applied");
    }
    std::atomic<int> failed = 0;
    {
        Load const load(3, [&](int n) {
            auto const path = "/v1/events/" + ids[static_cast<std::size_t>(n) % ids.size()] + "/replay";
            if (world.as_backend().post(path, "").status != 200) ++failed;
        });
        REQUIRE(eventually([&] { return load.started() > 20; }));
        require(200, erase(world, user));
    }
    CHECK(failed == 0);
    require(200, erase(world, user)); // replays may have applied events before they were erased
    CHECK(world.entitlements(user).empty());
    CHECK(testing::find_marker(world.postgres, user).empty());
}
