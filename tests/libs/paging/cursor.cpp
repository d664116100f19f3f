#include "paging/cursor.hpp"

#include "crypto/encoding.hpp"

#include <random>

using core::Time;
using core::Uuid;
using paging::FilterHash;
using paging::Position;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t hash = 0x0123456789abcdef;

Position some_position()
{
    return {Time(1'769'903'999'123'456us), Uuid::parse("019c1f2b-6d40-7cc3-98c4-dc0c0c07398f").value()};
}

http::Request request_for(std::string_view query)
{
    http::Request request;
    request.query = query;
    return request;
}

std::string changed(std::string_view cursor, std::size_t byte, char value)
{
    std::string bytes = crypto::base64url::decode(cursor).value();
    bytes.at(byte) = value;
    return crypto::base64url::encode(bytes);
}

} // namespace

TEST_CASE("a position survives encoding and decoding")
{
    auto const position = GENERATE(some_position(), Position{std::nullopt, Uuid::v7()},
        Position{Time{}, Uuid()}, Position{Time{-1us}, Uuid::v7()}, Position{core::min_time, Uuid::v7()},
        Position{core::max_time, Uuid::v7()});
    auto const cursor = paging::encode(position, hash);
    CHECK(cursor.size() == 46);
    CHECK(cursor.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
          std::string::npos);
    CHECK(paging::decode(cursor, hash) == position);
    CHECK_FALSE(paging::decode(cursor, hash + 1));
    CHECK_FALSE(paging::decode(cursor, 0));
}

TEST_CASE("a position without a time differs from a position with the time zero")
{
    Uuid const id = Uuid::v7();
    CHECK(paging::encode({std::nullopt, id}, hash) != paging::encode({Time{}, id}, hash));
    CHECK_FALSE(paging::decode(paging::encode({std::nullopt, id}, hash), hash)->time);
}

TEST_CASE("cursors of released versions can still be read")
{
    // Clients keep cursors during an upgrade. If this text can no longer be decoded, the version byte must
    // change.
    CHECK(paging::encode(some_position(), hash) == "AQEABkm34yeAAAGcHyttQHzDmMTcDAwHOY8BI0VniavN7w");
    CHECK(paging::decode("AQEABkm34yeAAAGcHyttQHzDmMTcDAwHOY8BI0VniavN7w", hash) == some_position());
}

TEST_CASE("malformed cursors are refused")
{
    auto const good = paging::encode(some_position(), hash);
    CHECK_FALSE(paging::decode("", hash));
    CHECK_FALSE(paging::decode("null", hash));
    CHECK_FALSE(paging::decode(good + "A", hash));
    CHECK_FALSE(paging::decode(good + "AA", hash));
    CHECK_FALSE(paging::decode(good + "=", hash));
    CHECK_FALSE(paging::decode(" " + good, hash));
    CHECK_FALSE(paging::decode(std::string(100'000, 'A'), hash));
    CHECK_FALSE(paging::decode(std::string(46, 'A'), 0));
    for (std::size_t size = 0; size < good.size(); ++size)
        CHECK_FALSE(paging::decode(good.substr(0, size), hash));
}

TEST_CASE("another version, another kind and a time out of range are refused")
{
    auto const good = paging::encode(some_position(), hash);
    auto const nulls = paging::encode({std::nullopt, Uuid::v7()}, hash);
    CHECK_FALSE(paging::decode(changed(good, 0, 0), hash));
    CHECK_FALSE(paging::decode(changed(good, 0, 2), hash));
    CHECK_FALSE(paging::decode(changed(good, 1, 2), hash));
    CHECK_FALSE(paging::decode(changed(good, 1, '\xff'), hash));
    CHECK_FALSE(paging::decode(changed(good, 1, 0), hash));
    CHECK_FALSE(paging::decode(changed(nulls, 9, 1), hash));
    CHECK_FALSE(paging::decode(changed(good, 2, 0x7f), hash));
    CHECK_FALSE(paging::decode(changed(good, 2, '\x80'), hash));
    CHECK(paging::decode(changed(good, 9, 1), hash));
    CHECK_FALSE(paging::decode(paging::encode({core::max_time + 1us, Uuid()}, hash), hash));
    CHECK_FALSE(paging::decode(paging::encode({core::min_time - 1us, Uuid()}, hash), hash));
}

TEST_CASE("random bytes are refused, or encode to the same cursor again")
{
    std::mt19937_64 random(17); // NOLINT(cert-msc51-cpp): the same cases each time
    auto const good = crypto::base64url::decode(paging::encode(some_position(), hash)).value();
    int read = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string bytes = good;
        for (std::size_t i = 1 + random() % 3; i > 0; --i)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        auto const cursor = crypto::base64url::encode(bytes);
        if (auto const position = paging::decode(cursor, hash)) {
            ++read;
            REQUIRE(paging::encode(*position, hash) == cursor);
        }
    }
    CHECK(read > 1000);
}

TEST_CASE("every part of the filters changes the hash")
{
    auto const base = FilterHash().add("status", "open").add("sort", "createdAt").value();
    CHECK(base ==
          FilterHash().add("status", std::string("open")).add("sort", std::string_view("createdAt")).value());
    CHECK(base ==
          FilterHash().add("status", std::optional<std::string>("open")).add("sort", "createdAt").value());
    CHECK(base != FilterHash().add("status", "closed").add("sort", "createdAt").value());
    CHECK(base != FilterHash().add("status", "open").add("sort", "lastReplyAt").value());
    CHECK(base != FilterHash().add("category", "open").add("sort", "createdAt").value());
    CHECK(base != FilterHash().add("sort", "createdAt").add("status", "open").value());
    CHECK(base != FilterHash().add("status", "open").value());
    CHECK(base != FilterHash().value());
}

TEST_CASE("different lists of filters never have the same canonical form")
{
    std::optional<std::string> const absent;
    std::uint64_t const values[] = {FilterHash().value(), FilterHash().add("", "").value(),
        FilterHash().add("a", "").value(), FilterHash().add("", "a").value(),
        FilterHash().add("a", absent).value(), FilterHash().add("a", "b").add("c", "d").value(),
        FilterHash().add("a", "bc").add("", "d").value(), FilterHash().add("a", "b").add("cd", "").value(),
        FilterHash().add("ab", "").add("c", "d").value(), FilterHash().add("a", "bcd").value(),
        FilterHash().add("a", absent).add("b", absent).value(), FilterHash().add("a", "=b").value(),
        FilterHash().add("a", "-").value()};
    for (std::size_t i = 0; i < std::size(values); ++i)
        for (std::size_t j = 0; j < i; ++j)
            CHECK(values[i] != values[j]);
}

TEST_CASE("the query parameter cursor is optional")
{
    auto const request = request_for("limit=5");
    http::Query query(request);
    CHECK_FALSE(paging::read_cursor(query, hash));
    CHECK_NOTHROW(query.check());
}

TEST_CASE("the query parameter cursor is read")
{
    std::string const text = "limit=5&cursor=" + paging::encode(some_position(), hash);
    auto const request = request_for(text);
    http::Query query(request);
    CHECK(paging::read_cursor(query, hash) == some_position());
    CHECK_NOTHROW(query.check());
}

TEST_CASE("a malformed cursor or a cursor of another list is an error")
{
    std::string const other = "cursor=" + paging::encode(some_position(), hash + 1);
    auto const text = GENERATE_COPY(as<std::string>(), "cursor=", "cursor=abc", "cursor=%20", other);
    auto const request = request_for(text);
    http::Query query(request);
    CHECK_FALSE(paging::read_cursor(query, hash));
    try {
        query.check();
        FAIL("the query was accepted");
    } catch (core::Error const& error) {
        CHECK(error.code().name == "VALIDATION_ERROR");
        REQUIRE(error.faults().size() == 1);
        CHECK(error.faults()[0].pointer == "?cursor");
        CHECK(error.faults()[0].code == "invalid_cursor");
    }
}

TEST_CASE("a page omits the extra row, and its cursor points after the last item")
{
    struct Item {
        int time;
    };

    auto const position_of = [](Item const& item) {
        return Position{Time(std::chrono::microseconds(item.time)), Uuid()};
    };
    auto const more = paging::make_page(std::vector<Item>{{5}, {4}, {3}}, 2, hash, position_of);
    REQUIRE(more.items.size() == 2);
    REQUIRE(more.cursor);
    CHECK(paging::decode(*more.cursor, hash) == Position{Time(4us), Uuid()});
    auto const exact = paging::make_page(std::vector<Item>{{5}, {4}}, 2, hash, position_of);
    CHECK(exact.items.size() == 2);
    CHECK_FALSE(exact.cursor);
    auto const fewer = paging::make_page(std::vector<Item>{{5}}, 2, hash, position_of);
    CHECK(fewer.items.size() == 1);
    CHECK_FALSE(fewer.cursor);
    auto const none = paging::make_page(std::vector<Item>{}, 2, hash, position_of);
    CHECK(none.items.empty());
    CHECK_FALSE(none.cursor);
}

TEST_CASE("a list that is ordered by a number continues where the last page ended")
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t const number :
        {std::int64_t(0), std::int64_t(1), std::int64_t(255), std::int64_t(1) << 40, most})
        CHECK(paging::number_of(paging::Position{core::Time(), paging::id_of_number(number)}) == number);
    CHECK(paging::number_of(std::nullopt) == most);
    // Even a forged cursor gives a number within the range.
    auto const forged = *core::Uuid::parse("ffffffff-ffff-ffff-ffff-ffffffffffff");
    CHECK(paging::number_of(paging::Position{core::Time(), forged}) == most);
}

TEST_CASE("a page request contains the limit and the cursor of the query")
{
    struct Item {
        Time created_at;
        Uuid id;
    };

    std::string const text = "limit=1&cursor=" + paging::encode(some_position(), hash);
    auto const request = request_for(text);
    auto const asked = paging::PageRequest::read(request, hash);
    CHECK(asked.limit == 1);
    CHECK(asked.after == some_position());
    CHECK(asked.rows() == 2);
    Item const first{Time(2us), Uuid::v7()}, second{Time(1us), Uuid::v7()};
    auto const page = asked.page(std::vector{first, second});
    REQUIRE(page.items.size() == 1);
    CHECK(paging::decode(page.cursor.value(), hash) == Position{first.created_at, first.id});

    auto const plain = paging::PageRequest::read(request_for(""), hash);
    CHECK(plain.limit == 20);
    CHECK_FALSE(plain.after);
    CHECK_THROWS_AS(paging::PageRequest::read(request_for("limit=0"), hash), core::Error);
    CHECK_THROWS_AS(paging::PageRequest::read(request, hash + 1), core::Error);
}
