#include "core/fields.hpp"

using core::is_email;
namespace json = boost::json;

TEST_CASE("addresses that web forms accept are accepted")
{
    auto const text = GENERATE(as<std::string>(), "ada@example.com", "a@b", "a.b+c@sub.example.co",
        "x_y~z!#$%&'*+/=?^`{|}-@e.x", "1@2.3", ".a.@example.com", "a@" + std::string(63, 'x') + ".com",
        std::string(250, 'a') + "@b.c");
    CAPTURE(text);
    CHECK(is_email(text));
}

TEST_CASE("texts that are not email addresses are refused")
{
    auto const text = GENERATE(as<std::string>(), "", "a", "@", "a@", "@b", "a@b@c", "a b@c.d", "a@b c",
        "a@-b.c", "a@b-.c", "a@b..c", "a@.b", "a@b.", "a@b_c.d", "Ada <ada@example.com>", "a@b.c\n",
        "a@b.c\nBcc: x@y.z", "\"a b\"@c.d", "é@b.c", "a@é.c", "a,b@c.d", "a@[127.0.0.1]",
        "a@" + std::string(64, 'x') + ".com", std::string(251, 'a') + "@b.c", std::string("a\0@b.c", 6));
    CAPTURE(text);
    CHECK_FALSE(is_email(text));
}

TEST_CASE("long texts are checked in bounded time")
{
    // A regular expression with unbounded backtracking would not finish.
    std::string const labels = "a@" + std::string(251, 'x') + "!";
    std::string dashes = "a@";
    while (dashes.size() < 252)
        dashes += "x-";
    CHECK_FALSE(is_email(labels));
    CHECK_FALSE(is_email(dashes));
    CHECK_FALSE(is_email(std::string(1'000'000, 'a')));
}

TEST_CASE("an email field of a PATCH may be absent, cleared or changed")
{
    json::value const body =
        json::parse(R"({"n": null, "good": "ada@example.com", "bad": "ada", "empty": "", "type": 5})");
    core::Fields f(body);
    CHECK_FALSE(f.change_email("absent"));
    CHECK(f.change_email("n").present);
    CHECK_FALSE(f.change_email("n").value);
    CHECK(f.change_email("good").value == "ada@example.com");
    CHECK(f.ok());
    CHECK_FALSE(f.change_email("bad"));
    CHECK_FALSE(f.change_email("empty"));
    CHECK_FALSE(f.change_email("type"));
    REQUIRE(f.faults().size() == 3);
    CHECK(f.faults()[0].code == "format");
    CHECK(f.faults()[1].code == "too_short");
    CHECK(f.faults()[2].code == "type");
}
