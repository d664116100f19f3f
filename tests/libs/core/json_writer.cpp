#include "core/json_writer.hpp"

#include "core/id.hpp"

#include <boost/json.hpp>

#include <limits>
#include <random>

using core::JsonWriter;
using namespace std::string_literals;
using namespace std::string_view_literals;

template <class T> static std::string written(T const& value)
{
    JsonWriter w;
    w.value(value);
    return std::move(w).str();
}

TEST_CASE("commas are placed between values only")
{
    JsonWriter w;
    w.begin_object();
    w.key("empty").begin_object().end_object();
    w.key("none").begin_array().end_array();
    w.key("list")
        .begin_array()
        .value(1)
        .value("two")
        .null()
        .begin_array()
        .value(true)
        .end_array()
        .value(false)
        .end_array();
    w.key("objects").begin_array();
    w.begin_object().member("a", 1).end_object().begin_object().member("b", 2).member("c", 3).end_object();
    w.end_array();
    w.member("last", nullptr);
    w.end_object();
    CHECK(w.str() == R"({"empty":{},"none":[],"list":[1,"two",null,[true],false],)"
                     R"("objects":[{"a":1},{"b":2,"c":3}],"last":null})");
}

TEST_CASE("text is escaped according to RFC 8259")
{
    CHECK(written("") == R"("")");
    CHECK(written(std::string_view()) == R"("")");
    CHECK(written("plain") == R"("plain")");
    CHECK(written(R"(say "hi" \ bye)") == R"("say \"hi\" \\ bye")");
    CHECK(written("\n\t\r\b\f") == R"("\n\t\r\b\f")");
    CHECK(written("\0"s) == R"("\u0000")");
    CHECK(written("a\0b"sv) == R"("a\u0000b")");
    CHECK(written("\x01\x0b\x1e\x1f") == R"("\u0001\u000b\u001e\u001f")");
    CHECK(written("\x7f / é 日本 😀 \u2028") == "\"\x7f / é 日本 😀 \u2028\"");
}

TEST_CASE("a byte is escaped at every position of a long text")
{
    for (int byte = 0; byte < 0x80; ++byte) {
        for (std::size_t at = 0; at < 27; ++at) {
            std::string text(27, 'x');
            text[at] = static_cast<char>(byte);
            auto const json = written(text);
            REQUIRE(boost::json::parse(json).as_string() == std::string_view(text));
            bool const escaped = byte < 0x20 || byte == '"' || byte == '\\';
            REQUIRE((json.find('\\') != std::string::npos) == escaped);
        }
    }
}

TEST_CASE("Boost.JSON parses the output to the same text")
{
    std::mt19937 random(5); // NOLINT(cert-msc51-cpp): the same cases each time
    std::string_view const pieces[] = {
        "\"", "\\", "\n", "\0"sv, "\x1f", "\x7f", "é", "日", "😀", "plain text", " ", "/"};
    for (int round = 0; round < 5000; ++round) {
        std::string text;
        for (std::size_t i = random() % 12; i > 0; --i)
            text += pieces[random() % std::size(pieces)];
        REQUIRE(boost::json::parse(written(text)).as_string() == std::string_view(text));
    }
}

TEST_CASE("numbers are written as JSON numbers")
{
    CHECK(written(0) == "0");
    CHECK(written(-1) == "-1");
    CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
    CHECK(written(std::numeric_limits<std::int64_t>::max()) == "9223372036854775807");
    CHECK(written(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
    CHECK(written(std::size_t{20}) == "20");
    CHECK(written(42U) == "42");
    CHECK(written(std::uint8_t{200}) == "200");
    CHECK(written(std::int16_t{-7}) == "-7");
    CHECK(written(0.1) == "0.1");
    CHECK(written(-2.5e300) == "-2.5e+300");
    CHECK(written(std::numeric_limits<double>::infinity()) == "null");
    CHECK(written(std::numeric_limits<double>::quiet_NaN()) == "null");
}

TEST_CASE("a formatted double parses to the same value")
{
    std::mt19937_64 random(9); // NOLINT(cert-msc51-cpp): the same cases each time
    std::uniform_real_distribution<double> mantissa(-1, 1);
    for (int i = 0; i < 2000; ++i) {
        double const number = std::ldexp(mantissa(random), static_cast<int>(random() % 600) - 300);
        auto const text = written(number);
        REQUIRE(std::stod(text) == number);
        REQUIRE_NOTHROW(boost::json::parse(text));
    }
}

TEST_CASE("times, ids, lists and optionals are written as JSON")
{
    CHECK(written(core::Time{std::chrono::milliseconds(1)}) == R"("1970-01-01T00:00:00.001Z")");
    auto const id = core::Uuid::v7();
    CHECK(written(id) == '"' + id.to_string() + '"');
    CHECK(written(std::vector<std::string>{}) == "[]");
    CHECK(written(std::vector<std::string>{"a", "\"b\""}) == R"(["a","\"b\""])");
    CHECK(written(std::optional<std::string>()) == "null");
    CHECK(written(std::optional<std::string>("x")) == R"("x")");
    CHECK(written(std::optional<int>(3)) == "3");
    CHECK(written(std::optional<core::Time>(core::Time{})) == R"("1970-01-01T00:00:00.000Z")");
    CHECK(written(std::optional<std::vector<std::string>>({"a"})) == R"(["a"])");
    CHECK(written(true) == "true");
    CHECK(written(false) == "false");
    CHECK(written(nullptr) == "null");
}

TEST_CASE("commas separate values of all types")
{
    auto const id = core::Uuid();
    JsonWriter w(256);
    w.begin_array();
    for (int i = 0; i < 2; ++i) {
        w.value("t")
            .value(1)
            .value(std::uint64_t{2})
            .value(0.5)
            .value(true)
            .null()
            .value(core::Time{})
            .value(id);
        w.raw(R"({"raw":1})").value(std::vector<std::string>{"l"}).begin_object().end_object();
    }
    w.end_array();
    auto const array = boost::json::parse(w.str()).as_array();
    REQUIRE(array.size() == 22);
    for (std::size_t i = 0; i < 11; ++i)
        CHECK(array[i] == array[i + 11]);
}
