#include "http/json_memory.hpp"

#include "core/error.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include <functional>
#include <optional>

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::string repeated(std::string_view item, std::size_t size)
{
    std::string text = R"({"x":[)";
    while (text.size() + item.size() + 3 <= size) {
        text += item;
        text += ',';
    }
    text.back() = ']';
    return text + '}';
}

/// The code of the thrown error; "" if there is none.
std::string_view code_of(std::function<void()> const& call)
{
    try {
        call();
        return "";
    } catch (core::Error const& error) {
        return error.code().name;
    }
}

} // namespace

TEST_CASE("the memory of a JSON tree counts only during the tree's lifetime")
{
    auto const budget = http::BodyBudget::make(64 * mebibyte);
    auto lease = budget->lease({});
    {
        auto tree = std::optional(http::parse_json(repeated("[1,2,\"three\"]", 100'000), lease));
        CHECK(budget->held() > 100'000);
        CHECK(budget->held() < 2 * http::json_tree_limit(100'000));
        auto const copy = boost::json::value(tree->at("x").at(0), tree->storage());
        tree.reset();
        CHECK(budget->held() > 100'000); // the copy uses the same memory
        CHECK(copy.at(2).as_string() == "three");
    }
    CHECK(budget->held() <= 4096);
    lease.reset();
    CHECK(budget->held() == 0);
}

TEST_CASE("a JSON tree may use eight times the size of its text, or 64 KiB if that is more")
{
    CHECK(http::json_tree_limit(1) == 65'536);
    CHECK(http::json_tree_limit(8192) == 65'536);
    CHECK(http::json_tree_limit(8193) == 65'544);
    auto const parse = [](std::string const& text) {
        return code_of([&] { http::parse_json(text, nullptr); });
    };
    for (char const* dense : {"[0]", "[[0]]", "{\"\":0}", "[[[[[[[[[[0]]]]]]]]]]"}) {
        INFO(dense);
        CHECK(parse(repeated(dense, mebibyte)) == "PAYLOAD_TOO_LARGE");
        CHECK(parse(repeated(dense, 3000)).empty());
    }
    for (char const* ordinary : {"1234", "\"text\"", "{\"name\":\"a value\",\"other\":12}",
             "{\"id\":\"sub_123\",\"items\":[{\"price\":\"p_1\"}],\"metadata\":{}}"}) {
        INFO(ordinary);
        CHECK(parse(repeated(ordinary, mebibyte)).empty());
    }
    std::string const text = R"({"content":")" + std::string(8 * mebibyte, 'a') + "\"}";
    CHECK(parse(text).empty());
}

TEST_CASE("temporary memory of the parser counts too, and is returned after a failure")
{
    auto const budget = http::BodyBudget::make(16 * mebibyte);
    auto const lease = budget->lease({.scope_id = core::ScopeId{2}});
    // Half a million numbers are on the parser's stack before they become an array.
    auto const parse = [&](std::string const& text) {
        return code_of([&] { http::parse_json(text, lease); });
    };
    CHECK(parse(repeated("0", mebibyte)) == "PAYLOAD_TOO_LARGE");
    CHECK(budget->held() <= 4096);
    CHECK(parse(repeated("[1,2,\"three\"]", 100'000) + "x") == "MALFORMED_JSON");
    CHECK(budget->held() <= 4096);
    CHECK(parse(repeated("[1,2,\"three\"]", 100'000)).empty());
    CHECK(budget->held() <= 4096);
}

TEST_CASE("parsed values are correct")
{
    std::string const text =
        R"({"a":[1,"\u00e9",null,true,1.5,"a long text that is not kept in the value itself"],"b":{"c":-7}})";
    auto const tree = http::parse_json(text, nullptr);
    CHECK(tree.at("a").at(1).as_string() == "\u00e9");
    CHECK(boost::json::serialize(tree) ==
          "{\"a\":[1,\"\u00e9\",null,true,1.5E0,\"a long text that is not kept in the value itself\"],"
          "\"b\":{\"c\":-7}}");
}
