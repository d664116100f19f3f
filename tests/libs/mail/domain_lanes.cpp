#include "mail/domain_lanes.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <deque>
#include <exception>
#include <optional>
#include <string>

using namespace std::chrono_literals;
using mail::DomainLanes;

namespace {

using End = DomainLanes::End;
using Steady = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// Lanes, and the emails that have asked for admission. All coroutines run on the test's thread.
class Lanes {
public:
    struct Email {
        bool answered = false;
        std::optional<Milliseconds> pause; ///< set if the email was put off

        bool admitted() const { return answered && !pause; }
    };

    /// Lets an email ask for admission.
    Email const& ask(std::string const& domain)
    {
        auto& email = emails_.emplace_back();
        boost::asio::co_spawn(io_, lanes.enter(domain),
            [&email](std::exception_ptr const& failure, std::optional<Milliseconds> pause) {
                REQUIRE(!failure);
                email = {true, pause};
            });
        run();
        return email;
    }

    /// Lets `count` emails ask for admission. Returns how many were admitted.
    std::size_t ask(std::string const& domain, std::size_t count)
    {
        std::size_t admitted = 0;
        for (std::size_t i = 0; i < count; ++i)
            admitted += ask(domain).admitted() ? 1 : 0;
        return admitted;
    }

    void leave(std::string const& domain, End end, DomainLanes::Time now = Steady::now())
    {
        lanes.leave(domain, end, now);
        run();
    }

    void leave(std::string const& domain, End end, std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i)
            leave(domain, end);
    }

private:
    void run()
    {
        io_.restart();
        io_.poll();
    }

    boost::asio::io_context io_{1};
    std::deque<Email> emails_;

public:
    DomainLanes lanes; ///< destroyed first: it holds coroutines of `io_`
};

/// A time so long ago that a pause that began then has ended.
DomainLanes::Time long_ago()
{
    return Steady::now() - 1h;
}

/// Lets one email be throttled at `now`. There must be no pause.
void throttle(Lanes& lanes, std::string const& domain, DomainLanes::Time now)
{
    REQUIRE(lanes.ask(domain).admitted());
    lanes.leave(domain, End::throttled, now);
}

/// The length of a pause of the domain that began at `begin`, in whole seconds.
std::chrono::seconds pause_since(Lanes& lanes, std::string const& domain, DomainLanes::Time begin)
{
    auto const before = Steady::now();
    auto const& email = lanes.ask(domain);
    auto const after = Steady::now();
    REQUIRE(email.pause);
    auto const length = std::chrono::floor<std::chrono::seconds>(after + *email.pause - begin);
    CHECK(before + *email.pause <= begin + length + 1ms);
    return length;
}

std::string const slow = "slow.example", other = "other.example";

} // namespace

TEST_CASE("a domain has at most 20 emails in flight; further emails wait for a free place", "[email]")
{
    Lanes lanes;
    CHECK(lanes.ask(slow, 20) == 20);
    auto const& first = lanes.ask(slow);
    auto const& second = lanes.ask(slow);
    CHECK_FALSE(first.answered);
    CHECK_FALSE(second.answered);
    CHECK(lanes.ask(other).admitted()); // another domain does not wait

    lanes.leave(slow, End::other);
    CHECK(first.admitted());
    CHECK_FALSE(second.answered);
    lanes.leave(slow, End::accepted);
    CHECK(second.admitted());
    CHECK_FALSE(lanes.ask(slow).answered); // accepted emails do not raise the limit above 20
}

TEST_CASE("a throttle pauses its domain only, and its waiting emails are put off", "[email]")
{
    Lanes lanes;
    REQUIRE(lanes.ask(slow, 20) == 20);
    REQUIRE(lanes.ask(other, 20) == 20);
    auto const& first = lanes.ask(slow);
    auto const& second = lanes.ask(slow);
    auto const& of_other = lanes.ask(other);

    auto const begin = Steady::now() + 1h; // so that the pause does not end during the test
    lanes.leave(slow, End::throttled, begin);
    REQUIRE(first.pause);
    REQUIRE(second.pause);
    CHECK(*first.pause > 1h);
    CHECK(*first.pause <= 1h + DomainLanes::first_pause);
    CHECK(pause_since(lanes, slow, begin) == DomainLanes::first_pause);

    CHECK_FALSE(of_other.answered);
    lanes.leave(other, End::accepted);
    CHECK(of_other.admitted());
}

TEST_CASE("a throttle halves the limit of its domain, down to one email", "[email]")
{
    Lanes lanes;
    REQUIRE(lanes.ask(slow, 20) == 20);
    lanes.leave(slow, End::throttled, long_ago());
    auto const& waiting = lanes.ask(slow);
    lanes.leave(slow, End::other, 9);
    CHECK_FALSE(waiting.answered); // ten are still in flight
    lanes.leave(slow, End::other);
    CHECK(waiting.admitted());

    lanes.leave(slow, End::other, 10);
    for (auto const at : {30min, 20min, 10min, 5min})
        throttle(lanes, slow, Steady::now() - at);
    CHECK(lanes.ask(slow, 2) == 1);
}

TEST_CASE("the first throttle pauses its domain at any time of the clock, which may begin at the start of "
          "the machine",
    "[email]")
{
    Lanes lanes;
    REQUIRE(lanes.ask(slow, 3) == 3);
    lanes.leave(slow, End::throttled, DomainLanes::Time(-1h));
    CHECK(lanes.lanes.size() == 1);
    lanes.leave(slow, End::other, 2);
    CHECK(lanes.ask(slow, 20) == 10);
}

TEST_CASE("results that arrive during a pause do not slow the domain further", "[email]")
{
    Lanes lanes;
    REQUIRE(lanes.ask(slow, 20) == 20);
    auto const begin = Steady::now() + 1h;
    for (int i = 0; i < 3; ++i)
        lanes.leave(slow, End::throttled, begin);
    CHECK(pause_since(lanes, slow, begin) == DomainLanes::first_pause);
    lanes.leave(slow, End::accepted, begin); // does not end the pause
    CHECK(pause_since(lanes, slow, begin) == DomainLanes::first_pause);
}

TEST_CASE("each accepted email raises a lowered limit by one", "[email]")
{
    Lanes lanes;
    throttle(lanes, slow, long_ago());
    REQUIRE(lanes.ask(slow).admitted());
    lanes.leave(slow, End::accepted);
    CHECK(lanes.ask(slow, 11) == 11);
    auto const& waiting = lanes.ask(slow);
    CHECK_FALSE(waiting.answered);
    lanes.leave(slow, End::other);
    CHECK(waiting.admitted());
    auto const& next = lanes.ask(slow);
    auto const& last = lanes.ask(slow);
    lanes.leave(slow, End::accepted); // frees a place and adds one
    CHECK(next.admitted());
    CHECK(last.admitted());
}

TEST_CASE("the pause of a domain doubles up to five minutes, and an accepted email resets it", "[email]")
{
    auto const length_after = [](int throttles, bool accepted) {
        Lanes lanes;
        for (int i = throttles; i > 1; --i)
            throttle(lanes, slow, Steady::now() - i * 1h);
        if (accepted) {
            REQUIRE(lanes.ask(slow).admitted());
            lanes.leave(slow, End::accepted);
        }
        auto const begin = Steady::now() + 1h;
        throttle(lanes, slow, begin);
        return pause_since(lanes, slow, begin);
    };
    int throttles = 0;
    for (auto const expected : {5s, 10s, 20s, 40s, 80s, 160s, 300s, 300s})
        CHECK(length_after(++throttles, false) == expected);
    CHECK(length_after(4, true) == 5s);
}

TEST_CASE("a domain is forgotten when it has no emails, no pause and no lower limit", "[email]")
{
    Lanes lanes;
    REQUIRE(lanes.ask(slow, 2) == 2);
    REQUIRE(lanes.ask(other, 1) == 1);
    CHECK(lanes.lanes.size() == 2);
    lanes.leave(slow, End::accepted);
    CHECK(lanes.lanes.size() == 2);
    lanes.leave(slow, End::other);
    lanes.leave(other, End::accepted);
    CHECK(lanes.lanes.size() == 0);

    throttle(lanes, slow, long_ago());
    for (std::size_t limit = DomainLanes::most / 2; limit < DomainLanes::most; ++limit) {
        CHECK(lanes.lanes.size() == 1);
        REQUIRE(lanes.ask(slow).admitted());
        lanes.leave(slow, End::accepted);
    }
    CHECK(lanes.lanes.size() == 0);
}

TEST_CASE("domains beyond the capacity have no limit", "[email]")
{
    Lanes lanes;
    for (std::size_t i = 0; i < DomainLanes::capacity; ++i)
        REQUIRE(lanes.ask(std::to_string(i) + ".example").admitted());
    CHECK(lanes.ask(slow, 30) == 30);
    CHECK(lanes.lanes.size() == DomainLanes::capacity);
    CHECK(lanes.ask("0.example", 20) == 19); // known domains keep their limit

    // The domain becomes known while its first emails are in flight. They do not disturb the count.
    lanes.leave("1.example", End::accepted);
    REQUIRE(lanes.ask(slow).admitted());
    lanes.leave(slow, End::throttled, long_ago());
    lanes.leave(slow, End::other, 30);
    CHECK(lanes.ask(slow, 11) == 10);
}

TEST_CASE("idle domains whose pause has ended make room for other domains", "[email]")
{
    Lanes lanes;
    for (std::size_t i = 0; i < DomainLanes::capacity; ++i)
        throttle(lanes, std::to_string(i) + ".example", long_ago());
    CHECK(lanes.lanes.size() == DomainLanes::capacity);
    CHECK(lanes.ask(slow, 21) == 20);
    CHECK(lanes.lanes.size() == 1);
}
