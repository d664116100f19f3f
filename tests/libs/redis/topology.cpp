#include "redis/topology.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <variant>

using redis::Endpoint, redis::Redirection, redis::Reply, redis::slot_of;

namespace {

Reply node(Reply host, std::int64_t port)
{
    return Reply(Reply::Array{std::move(host), Reply(port), Reply(std::string("id"))});
}

Reply text(char const* value)
{
    return Reply(std::string(value));
}

Endpoint const asked{"10.0.0.9", 7009};

} // namespace

TEST_CASE("the slot of a key is computed from its CRC16, or from the CRC16 of its hash tag")
{
    CHECK(slot_of("123456789") == 0x31c3); // the example of the specification
    CHECK(slot_of("") == 0);
    CHECK(slot_of("foo") == 12'182);
    CHECK(slot_of("{user1000}.following") == slot_of("user1000"));
    CHECK(slot_of("a:{user1000}:b") == slot_of("user1000"));
    // The special cases of the specification: `{}` and an unclosed `{` are not tags; the first of several
    // tags counts.
    CHECK(slot_of("foo{}{bar}") != slot_of("bar"));
    CHECK(slot_of("foo{}{bar}") == 8'363);
    CHECK(slot_of("foo{{bar}}zap") == slot_of("{bar"));
    CHECK(slot_of("foo{bar}{zap}") == slot_of("bar"));
    CHECK(slot_of("foo}bar{") < 16'384);
}

TEST_CASE("the reply to CLUSTER SLOTS is parsed, with and without host names")
{
    Reply const answer(Reply::Array{
        Reply(Reply::Array{Reply(std::int64_t{8'192}), Reply(std::int64_t{16'383}), node(text(""), 7001)}),
        Reply(Reply::Array{Reply(std::int64_t{0}), Reply(std::int64_t{8'191}), node(text("10.0.0.1"), 7000),
            node(Reply(), 7002), node(text("replica.example"), 7003)}),
    });
    auto const ranges = redis::read_slots(answer, asked);
    REQUIRE(ranges.size() == 2);
    CHECK(ranges[0].first == 0);
    CHECK(ranges[0].last == 8'191);
    CHECK(ranges[0].master == Endpoint{"10.0.0.1", 7000});
    CHECK(ranges[0].replicas == std::vector<Endpoint>{{"10.0.0.9", 7002}, {"replica.example", 7003}});
    CHECK(ranges[1].first == 8'192);
    CHECK(ranges[1].last == 16'383);
    CHECK(ranges[1].master == Endpoint{"10.0.0.9", 7001});

    CHECK(redis::read_slots(Reply(Reply::Array{}), asked).empty());
    CHECK_THROWS_AS(redis::read_slots(text("OK"), asked), std::bad_variant_access);
    Reply const cut_short(Reply::Array{Reply(Reply::Array{Reply(std::int64_t{0})})});
    CHECK_THROWS_AS(redis::read_slots(cut_short, asked), std::out_of_range);
}

TEST_CASE("redirections are distinguished from errors")
{
    auto const moved = Redirection::read("MOVED 3999 127.0.0.1:6381", asked);
    REQUIRE(moved);
    CHECK(moved->kind == Redirection::Kind::moved);
    CHECK(moved->to == Endpoint{"127.0.0.1", 6381});

    auto const ask = Redirection::read("ASK 3999 2001:db8::1:6381", asked);
    REQUIRE(ask);
    CHECK(ask->kind == Redirection::Kind::ask);
    CHECK(ask->to == Endpoint{"2001:db8::1", 6381});

    auto const nameless = Redirection::read("MOVED 3999 :6381", asked);
    REQUIRE(nameless);
    CHECK(nameless->to == Endpoint{"10.0.0.9", 6381});

    auto const again = Redirection::read("TRYAGAIN Multiple keys request during rehashing of slot", asked);
    REQUIRE(again);
    CHECK(again->kind == Redirection::Kind::again);

    for (std::string const error : {"ERR unknown command", "WRONGTYPE Operation", "MOVEDX 1 a:1", "MOVED",
             "MOVED 3999 127.0.0.1", "ASK 3999 127.0.0.1:x", "ASK 3999 127.0.0.1:70000", "",
             "NOSCRIPT No matching script. Please use EVAL."}) {
        CAPTURE(error);
        CHECK_FALSE(Redirection::read(error, asked));
    }
}
