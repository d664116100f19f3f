#include "providers/web_push_lanes.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <list>
#include <string>
#include <vector>

using namespace notify;

namespace {

/// The pushes of one scope that may have `most` requests in flight.
struct Fixture {
    struct Push : WebPushLanes::Push {
        std::string name;
        std::list<Push>::iterator place;
    };

    Push& add(std::string const& origin, std::string name = {}, bool bulk = false)
    {
        auto& push = pushes.emplace_back();
        push.name = std::move(name);
        push.place = std::prev(pushes.end());
        lanes.add(origin, push, bulk);
        return push;
    }

    void add_many(std::string const& origin, std::size_t count, bool bulk = false)
    {
        for (std::size_t i = 0; i < count; ++i)
            add(origin, origin, bulk);
    }

    /// Begins as many requests as possible. Returns their pushes.
    std::vector<Push*> pump()
    {
        std::vector<Push*> begun;
        while (in_flight < most) {
            auto* const next = lanes.front();
            if (next == nullptr) break;
            if (!lanes.begin(*next, most - in_flight)) continue;
            ++in_flight;
            begun.push_back(static_cast<Push*>(next));
        }
        return begun;
    }

    void end(Push& push)
    {
        --in_flight;
        lanes.end(push);
        pushes.erase(push.place);
    }

    std::size_t most = 256, in_flight = 0;
    std::list<Push> pushes;
    WebPushLanes lanes;
};

std::vector<std::string> names_of(std::vector<Fixture::Push*> const& pushes)
{
    std::vector<std::string> names;
    names.reserve(pushes.size());
    for (auto const* push : pushes)
        names.push_back(push->name);
    return names;
}

} // namespace

TEST_CASE("an origin has at most a quarter of the requests, and a fifth for bulk pushes", "[web_push]")
{
    Fixture f;
    f.add_many("a", 100, true);
    CHECK(f.pump().size() == 51);
    f.add_many("a", 100);
    auto const urgent = f.pump();
    CHECK(urgent.size() == 13);
    CHECK(f.pump().empty());
    f.end(*urgent.front()); // the next push takes its place
    CHECK(f.pump().size() == 1);
}

TEST_CASE("origins that do not respond leave requests for another origin", "[web_push]")
{
    Fixture f;
    f.most = GENERATE(256U, 20U, 2U);
    for (std::size_t i = 0; i < f.most - 1; ++i)
        f.add_many("silent-" + std::to_string(i), 100);
    f.pump();
    std::size_t const before = f.in_flight;
    CHECK(before >= f.most / 2);
    REQUIRE(before < f.most);
    f.add("sound", "sound");
    CHECK(names_of(f.pump()) == std::vector<std::string>{"sound"});
}

TEST_CASE("a single request may be in flight if no more are allowed", "[web_push]")
{
    Fixture f;
    f.most = 1;
    auto& first = f.add("a", "1");
    f.add("b", "2");
    CHECK(names_of(f.pump()) == std::vector<std::string>{"1"});
    f.end(first);
    CHECK(names_of(f.pump()) == std::vector<std::string>{"2"});
}

TEST_CASE("origins take turns, and urgent pushes of an origin come first", "[web_push]")
{
    Fixture f;
    f.add("a", "a1", true);
    f.add("a", "a2");
    f.add("a", "a3");
    f.add("b", "b1", true);
    f.add("b", "b2", true);
    f.add("c", "c1");
    CHECK(names_of(f.pump()) == std::vector<std::string>{"a2", "b1", "c1", "a3", "b2", "a1"});
}

TEST_CASE("pushes at the limit of their origin are tried again", "[web_push]")
{
    Fixture f;
    f.most = 8;
    f.add_many("a", 10);
    CHECK(f.pump().size() == 2);
    f.most = 40; // other scopes have ended their requests
    CHECK(f.pump().empty());
    f.lanes.retry();
    CHECK(f.pump().size() == 8);
}

TEST_CASE("a push that is destroyed leaves its lane, and unused lanes are forgotten", "[web_push]")
{
    Fixture f;
    auto& first = f.add("a", "1");
    f.add("a", "2");
    f.add("b", "3");
    f.pushes.erase(first.place);
    CHECK(f.lanes.size() == 2);
    auto const begun = f.pump();
    CHECK(names_of(begun) == std::vector<std::string>{"2", "3"});
    CHECK(f.lanes.size() == 2);
    for (auto* const push : begun)
        f.end(*push);
    CHECK(f.lanes.front() == nullptr);
    CHECK(f.lanes.size() == 0);
}
