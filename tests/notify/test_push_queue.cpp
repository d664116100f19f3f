#include "providers/carrier_protocol.hpp"
#include "providers/dropped_devices.hpp"
#include "providers/push_queue.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <deque>
#include <numeric>

using namespace notify;
using namespace std::chrono_literals;

namespace {

using Steady = std::chrono::steady_clock;

struct Sent final : PushQueue::Sent {
    void abandoned() noexcept override { was_abandoned = true; }

    void dropped() noexcept override { was_dropped = true; }

    bool was_abandoned = false, was_dropped = false;
};

struct Fixture {
    /// Adds a batch whose devices have the ids `first`, `first + 1`, ...
    void add(std::int64_t first, std::int64_t count, bool bulk = false, std::stop_token stop = {},
        Steady::duration wait = 1h)
    {
        auto batch = std::make_unique<PushBatch>();
        for (std::int64_t i = 0; i < count; ++i)
            batch->targets.push_back({.device_id = first + i});
        batch->bulk = bulk;
        batch->deadline = now + wait;
        batch->stop = std::move(stop);
        queue.add(std::move(batch));
    }

    /// The device of the next push, or 0 if there is none.
    std::int64_t take(bool urgent_only = false)
    {
        auto& next = sent.emplace_back();
        if (queue.take(urgent_only, next)) return next.target().device_id;
        sent.pop_back();
        return 0;
    }

    static PushResult accepted() { return push_result(Verdict::accepted); }

    void sweep(Steady::duration after) { queue.sweep(now + after); }

    /// The reasons of a batch's results; "ok" for an accepted push.
    static std::vector<std::string> reasons(PushBatch const& batch)
    {
        std::vector<std::string> found;
        for (auto const& result : batch.results)
            found.push_back(result.verdict == Verdict::accepted ? "ok" : result.reason);
        return found;
    }

    std::vector<std::string> last() const { return reasons(*done.back()); }

    Steady::time_point const now = Steady::now();
    std::deque<Sent> sent; ///< must outlive the queue
    std::vector<std::unique_ptr<PushBatch>> done;
    DroppedDevices dropped;
    PushQueue queue{[this](std::unique_ptr<PushBatch> batch) { done.push_back(std::move(batch)); }, dropped};
};

using Reasons = std::vector<std::string>;

} // namespace

TEST_CASE("urgent pushes are sent before bulk pushes, and both in their order of arrival", "[push]")
{
    Fixture f;
    f.add(10, 2, true);
    f.add(20, 2);
    f.add(30, 1);
    CHECK(f.take() == 20);
    f.add(40, 1, true);
    CHECK(f.take(true) == 21);
    CHECK(f.take() == 30);
    CHECK(f.take(true) == 0);
    CHECK(f.take() == 10);
    CHECK(f.take() == 11);
    CHECK(f.take() == 40);
    CHECK(f.take() == 0);
    CHECK_FALSE(f.queue.waiting());
    CHECK_FALSE(f.queue.empty());
    f.queue.stop();
    CHECK(f.queue.empty());
}

TEST_CASE("a batch is done when all targets have answers, in the order of the targets", "[push]")
{
    Fixture f;
    f.add(1, 3);
    f.take(), f.take(), f.take();
    f.queue.finish(f.sent[2], push_result(Verdict::gone, "third"));
    f.queue.finish(f.sent[0], Fixture::accepted());
    CHECK(f.done.empty());
    f.queue.finish(f.sent[1], push_result(Verdict::refused, "second"));
    REQUIRE(f.done.size() == 1);
    CHECK(f.last() == Reasons{"ok", "second", "third"});
    CHECK(f.queue.empty());
    f.add(1, 0);
    CHECK(f.done.size() == 2);
}

TEST_CASE("a push whose stream was refused is sent again before others, at most three times", "[push]")
{
    Fixture f;
    f.add(1, 2);
    CHECK(f.take() == 1);
    for (int times = 0; times < 3; ++times) {
        f.queue.refused(f.sent.back());
        CHECK_FALSE(f.sent.back().awaited());
        CHECK(f.queue.waiting());
        CHECK(f.take() == 1);
    }
    f.queue.refused(f.sent.back());
    CHECK(f.take() == 2);
    f.queue.finish(f.sent.back(), Fixture::accepted());
    CHECK(f.last() == Reasons{"CONNECTION_LOST", "ok"});
}

TEST_CASE("a push that is repeated with a new access token is marked as renewed", "[push]")
{
    Fixture f;
    f.add(1, 1, true);
    f.take();
    CHECK_FALSE(f.sent.back().renewed());
    f.queue.renew(f.sent.back());
    CHECK(f.take(true) == 0); // the push is still bulk
    CHECK(f.take() == 1);
    CHECK(f.sent.back().renewed());
    f.queue.stop();
}

TEST_CASE("all pushes that were not sent yet can get a result at once", "[push]")
{
    Fixture f;
    f.add(1, 3);
    f.add(10, 2, true);
    f.take(), f.take();
    f.queue.refused(f.sent[1]);
    f.queue.drop(push_result(Verdict::transient, "AWAY"));
    REQUIRE(f.done.size() == 1);
    CHECK(f.last() == Reasons{"AWAY", "AWAY"});
    CHECK_FALSE(f.queue.waiting());
    f.queue.finish(f.sent[0], Fixture::accepted());
    CHECK(f.last() == Reasons{"ok", "AWAY", "AWAY"});
    CHECK(f.done.back()->results[0].handed_out);
    CHECK_FALSE(f.done.back()->results[1].handed_out); // the server refused its stream
    CHECK_FALSE(f.done.back()->results[2].handed_out);
}

TEST_CASE("only the pushes of a credential that was not stored later get a result", "[push]")
{
    Fixture f;
    core::Time const stored{1h};
    for (auto const at : {stored + 1s, stored, stored - 1s}) {
        auto batch = std::make_unique<PushBatch>();
        batch->targets.resize(2);
        batch->stored_at = at;
        batch->deadline = f.now + 1h;
        f.queue.add(std::move(batch));
    }
    f.take();
    f.queue.refused(f.sent.back()); // of the first batch
    f.queue.drop(push_result(Verdict::credential, "REFUSED"), stored);
    REQUIRE(f.done.size() == 2);
    for (auto const& batch : f.done) {
        CHECK(batch->stored_at <= stored);
        CHECK(Fixture::reasons(*batch) == Reasons{"REFUSED", "REFUSED"});
    }
    CHECK(f.queue.backlog() == 2);
    f.queue.drop(push_result(Verdict::transient, "AWAY"));
    CHECK(f.last() == Reasons{"AWAY", "AWAY"});
    CHECK(f.queue.empty());
}

TEST_CASE("the backlog is the number of pushes to hand out", "[push]")
{
    Fixture f;
    CHECK(f.queue.backlog() == 0);
    f.add(1, 3);
    f.add(10, 2, true);
    CHECK(f.queue.backlog() == 5);
    f.take(), f.take();
    CHECK(f.queue.backlog() == 3);
    f.queue.refused(f.sent[1]);
    CHECK(f.queue.backlog() == 4);
    f.queue.finish(f.sent[0], Fixture::accepted());
    CHECK(f.queue.backlog() == 4);
    f.dropped.add(std::array<std::int64_t, 1>{2}, f.now);
    CHECK(f.take() == 3); // device 2 is dropped
    CHECK(f.queue.backlog() == 2);
    f.queue.drop(push_result(Verdict::transient, "AWAY"));
    CHECK(f.queue.backlog() == 0);
    f.add(20, 2, false, {}, 10s);
    f.sweep(10s);
    CHECK(f.queue.backlog() == 0);
    f.queue.stop();
    CHECK(f.queue.backlog() == 0);
}

TEST_CASE("a push that was taken and not sent is not handed out", "[push]")
{
    Fixture f;
    f.add(1, 2);
    f.take(), f.take();
    f.queue.withdraw(f.sent[0], push_result(Verdict::transient, "AWAY"));
    CHECK_FALSE(f.sent[0].awaited());
    f.queue.finish(f.sent[1], Fixture::accepted());
    CHECK(f.last() == Reasons{"AWAY", "ok"});
    CHECK(f.done.back()->results[0].untried());
    CHECK(f.done.back()->results[1].counts());
}

TEST_CASE("pushes to dropped devices are not handed out", "[push]")
{
    Fixture f;
    f.add(1, 3);
    f.add(10, 1, true);
    f.take();
    f.queue.refused(f.sent.back());
    f.dropped.add(std::array<std::int64_t, 3>{1, 3, 10}, f.now);
    CHECK(f.take() == 2);
    CHECK(f.done.empty());
    CHECK(f.take() == 0);
    REQUIRE(f.done.size() == 1);
    CHECK(f.last() == Reasons{"DEVICE_REMOVED"});
    f.queue.finish(f.sent.back(), Fixture::accepted());
    CHECK(f.last() == Reasons{"DEVICE_REMOVED", "ok", "DEVICE_REMOVED"});
    CHECK(f.queue.empty());
}

TEST_CASE("dropped devices are forgotten after a while, and if there are too many", "[push]")
{
    DroppedDevices dropped;
    auto const now = Steady::now();
    dropped.add(std::array<std::int64_t, 2>{1, 2}, now);
    dropped.add(std::array<std::int64_t, 2>{2, 3}, now + 1min);
    dropped.forget_old(now + DroppedDevices::kept);
    CHECK(dropped.contains(1));
    dropped.forget_old(now + DroppedDevices::kept + 1s);
    CHECK_FALSE(dropped.contains(1));
    CHECK(dropped.contains(3));
    std::vector<std::int64_t> many(DroppedDevices::capacity);
    std::iota(many.begin(), many.end(), 1'000);
    dropped.add(many, now + 1min);
    CHECK_FALSE(dropped.contains(3));
    CHECK(dropped.contains(1'000));
    CHECK(dropped.contains(many.back()));
}

TEST_CASE("a push that has waited until its deadline is not sent", "[push]")
{
    Fixture f;
    f.add(1, 2, false, {}, 10s);
    f.add(5, 1, false, {}, 20s);
    f.take();
    f.sweep(9s);
    CHECK(f.queue.waiting());
    f.sweep(10s);
    CHECK(f.take() == 5);
    f.queue.finish(f.sent[0], Fixture::accepted()); // a sent push is still awaited
    CHECK(f.last() == Reasons{"ok", "NOT_SENT_IN_TIME"});
    f.queue.stop();
}

TEST_CASE("a stopped batch sends no further pushes, and waits briefly for responses", "[push]")
{
    Fixture f;
    std::stop_source stop;
    f.add(1, 3, false, stop.get_token());
    f.add(9, 1);
    f.take(), f.take();
    stop.request_stop();
    f.sweep(0s);
    CHECK(f.take() == 9);
    f.queue.finish(f.sent[0], Fixture::accepted());
    f.sweep(1s);
    CHECK(f.done.empty());
    f.sweep(2s);
    REQUIRE(f.done.size() == 1);
    CHECK(f.last() == Reasons{"ok", "STOPPED", "STOPPED"});
    CHECK(f.sent[1].was_abandoned);
    CHECK_FALSE(f.sent[0].was_abandoned);
    CHECK_FALSE(f.sent[1].awaited());
    f.queue.stop();
    CHECK(f.last() == Reasons{"STOPPED"});
    CHECK(f.sent[2].was_abandoned);
}

TEST_CASE(
    "a push that is held has a deadline and ends with its batch, as if it had not been handed out", "[push]")
{
    Fixture f;
    std::stop_source stop;
    f.add(1, 3, false, {}, 10s);
    f.add(9, 2, false, stop.get_token());
    for (int i = 0; i < 5; ++i) {
        f.take();
        PushQueue::hold(f.sent.back());
    }
    PushQueue::release(f.sent[1]);
    f.sweep(10s);
    CHECK(f.sent[0].was_dropped);
    CHECK_FALSE(f.sent[0].awaited());
    CHECK_FALSE(f.sent[1].was_dropped);
    CHECK(f.done.empty());
    f.queue.finish(f.sent[1], Fixture::accepted());
    REQUIRE(f.done.size() == 1);
    CHECK(f.last() == Reasons{"NOT_SENT_IN_TIME", "ok", "NOT_SENT_IN_TIME"});
    CHECK_FALSE(f.done.back()->results[0].handed_out);

    stop.request_stop();
    f.sweep(11s);
    REQUIRE(f.done.size() == 2);
    CHECK(f.last() == Reasons{"STOPPED", "STOPPED"});
    CHECK_FALSE(f.done.back()->results[0].handed_out);
    CHECK(f.sent[4].was_dropped);
    CHECK(f.queue.empty());
}
