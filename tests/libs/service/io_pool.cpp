#include "service/io_pool.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <future>
#include <set>

using namespace std::chrono_literals;

TEST_CASE("each context runs on its own thread")
{
    service::IoPool pool(3);
    REQUIRE(pool.contexts().size() == 3);
    CHECK(&pool.first() == pool.contexts().front());
    std::set<std::thread::id> ids;
    for (auto* ioc : pool.contexts()) {
        auto const ask = [ioc] {
            std::promise<std::thread::id> promise;
            boost::asio::post(*ioc, [&] { promise.set_value(std::this_thread::get_id()); });
            return promise.get_future().get();
        };
        auto const id = ask();
        CHECK(ask() == id);
        ids.insert(id);
    }
    CHECK(ids.size() == 3);
    CHECK(service::IoPool(0).contexts().size() == 1);
}

TEST_CASE("joining waits for pending work")
{
    service::IoPool pool(2);
    std::atomic<int> done = 0;
    std::vector<std::unique_ptr<boost::asio::steady_timer>> timers;
    for (auto* ioc : pool.contexts()) {
        timers.push_back(std::make_unique<boost::asio::steady_timer>(*ioc, 50ms));
        timers.back()->async_wait([&done](auto failed) { done += failed ? 0 : 1; });
    }
    pool.join();
    CHECK(done == 2);
}
