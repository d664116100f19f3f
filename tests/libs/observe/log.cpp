#include "observe/log.hpp"

#include "core/clock.hpp"
#include "support/captured.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <fcntl.h>
#include <limits>
#include <set>
#include <thread>

using namespace std::chrono_literals;
using observe::Level;
using observe::Logger;

namespace {

/// The two ends of a pipe to which the logger writes. The test decides when the pipe is read.
struct Pipe {
    Pipe()
    {
        int fds[2];
        REQUIRE(::pipe2(fds, O_CLOEXEC) == 0);
        reader = fds[0];
        writer = fds[1];
    }

    ~Pipe()
    {
        ::close(reader);
        if (writer >= 0) ::close(writer);
    }

    Pipe(Pipe const&) = delete;
    Pipe& operator=(Pipe const&) = delete;

    void close_writer() { ::close(std::exchange(writer, -1)); }

    int reader = -1;
    int writer = -1;
};

} // namespace

TEST_CASE("a log line is one JSON object with fixed keys, then the fields in their order")
{
    testing::Captured out;
    auto const before = std::chrono::floor<std::chrono::milliseconds>(core::SystemClock().now());
    {
        Logger logger("feedback", Level::debug, out.fd());
        std::string const text = "owned";
        logger.info("request", {{"method", "GET"}, {"owner", text}, {"status", 200},
                                   {"bytes", std::uint64_t{1} << 63}, {"ratio", 0.5}, {"offset", -7},
                                   {"ok", true}, {"bad", false}, {"short", std::uint16_t{8101}}});
    }
    auto const text = out.text();
    auto const lines = out.lines();
    REQUIRE(lines.size() == 1);
    auto const time = core::parse_rfc3339(std::string_view(lines[0].at("time").as_string()));
    REQUIRE(time);
    CHECK(*time >= before);
    CHECK(*time <= core::SystemClock().now());
    CHECK(
        text.substr(text.find(R"(,"level")")) ==
        R"(,"level":"info","service":"feedback","message":"request","method":"GET","owner":"owned","status":200,)"
        R"("bytes":9223372036854775808,"ratio":0.5,"offset":-7,"ok":true,"bad":false,"short":8101})"
        "\n");
}

TEST_CASE("every field value yields one line of valid JSON")
{
    testing::Captured out;
    std::string every_byte;
    for (int c = 0; c < 0x80; ++c)
        every_byte += static_cast<char>(c);

    struct Row {
        std::string given, shown;
    };

    std::string const replacement = "\xEF\xBF\xBD";
    std::vector<Row> const rows{
        {"a\nb", "a\nb"},
        {"\"},{\"level\":\"error\"", "\"},{\"level\":\"error\""},
        {every_byte, every_byte},
        {"gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80", "gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80"},
        {"\xFF"
         "a",
            replacement + "a"},
        {"cut \xF0\x9F", "cut " + replacement + replacement},
        {"\xC0\xAF", replacement + replacement},                   // overlong
        {"\xED\xA0\x80", replacement + replacement + replacement}, // a surrogate
        {"x\x80\xC3\xBC", "x" + replacement + "\xC3\xBC"},
    };
    {
        Logger logger("feedback", Level::info, out.fd());
        for (auto const& row : rows)
            logger.info(row.given, {{"value", row.given}});
        logger.info("numbers", {{"value", std::nan("")}, {"more", std::numeric_limits<double>::infinity()}});
    }
    auto const lines = out.lines();
    REQUIRE(lines.size() == rows.size() + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(lines[i].at("value").as_string() == rows[i].shown);
        CHECK(lines[i].at("message").as_string() == rows[i].shown);
    }
    CHECK(lines.back().at("value").is_null());
    CHECK(lines.back().at("more").is_null());
}

TEST_CASE("lines below the level are not written, and enabled() is false for them")
{
    for (auto const level : {Level::debug, Level::info, Level::warn, Level::error, Level::off}) {
        testing::Captured out;
        {
            Logger logger("feedback", level, out.fd());
            logger.debug("m");
            logger.info("m");
            logger.warn("m");
            logger.error("m");
            for (auto const l : {Level::debug, Level::info, Level::warn, Level::error})
                CHECK(logger.enabled(l) == (l >= level));
            CHECK_FALSE(logger.enabled(Level::off));
        }
        CHECK(out.lines().size() == 4 - static_cast<std::size_t>(level));
    }
}

TEST_CASE("level names are parsed; other texts are rejected")
{
    CHECK(core::parse_enum<Level>("debug") == Level::debug);
    CHECK(core::parse_enum<Level>("off") == Level::off);
    CHECK_FALSE(core::parse_enum<Level>("INFO"));
    CHECK_FALSE(core::parse_enum<Level>(""));
}

TEST_CASE("info lines are buffered, and warnings and flushed lines are written at once")
{
    testing::Captured out;
    Logger logger("feedback", Level::info, out.fd());
    logger.info("one");
    CHECK(testing::eventually([&] { return out.lines().size() == 1; }));
    logger.info("two");
    logger.flush(60s);
    CHECK(out.lines().size() == 2);
    logger.warn("three");
    CHECK(testing::eventually([&] { return out.lines().size() == 3; }));
}

TEST_CASE("lines of many threads are neither lost nor mixed")
{
    testing::Captured out;
    constexpr int threads = 4;
    constexpr int each = 5000;
    {
        Logger logger("feedback", Level::info, out.fd());
        std::vector<std::thread> writers;
        for (int t = 0; t < threads; ++t)
            writers.emplace_back([&, t] {
                for (int i = 0; i < each; ++i)
                    logger.info("line", {{"number", t * each + i}, {"pad", "abcdefghijklmn"}});
            });
        for (auto& writer : writers)
            writer.join();
    }
    std::set<std::int64_t> seen;
    for (auto const& line : out.lines())
        seen.insert(line.at("number").as_int64());
    CHECK(seen.size() == threads * each);
}

TEST_CASE("if the reader of the log hangs, logging does not wait, and lost lines are reported")
{
    Pipe pipe;
    constexpr std::size_t sent = 40'000; // lines of about 200 bytes: twice as many as the logger keeps
    std::string const pad(100, 'x');
    std::string all;
    {
        Logger logger("feedback", Level::info, pipe.writer);
        // The pipe is not read during these calls: a logger that waited would wait forever.
        for (std::size_t i = 0; i < sent; ++i)
            logger.info("line", {{"number", i}, {"pad", pad}});
        logger.flush(1ms); // returns although the pipe is full

        std::thread reader([&] {
            char piece[65536];
            for (;;) {
                auto const n = ::read(pipe.reader, piece, sizeof piece);
                if (n <= 0) return;
                all.append(piece, static_cast<std::size_t>(n));
            }
        });
        logger.flush(60s);
        logger.info("after");
        logger.flush(60s);
        pipe.close_writer();
        reader.join();
    }
    std::size_t lines = 0;
    std::size_t dropped = 0;
    for (std::size_t at = 0; at < all.size(); ++lines) {
        auto const end = all.find('\n', at);
        REQUIRE(end != std::string::npos);
        auto const line = boost::json::parse(all.substr(at, end - at)).as_object();
        if (line.at("message").as_string() == "log lines dropped") {
            CHECK(line.at("level").as_string() == "warn");
            dropped += line.at("count").to_number<std::size_t>();
            --lines;
        }
        at = end + 1;
    }
    CHECK(dropped > 0);
    CHECK(lines + dropped == sent + 1);
}

TEST_CASE("a reader that never reads again does not prevent the process from ending")
{
    Pipe pipe;
    {
        Logger logger("feedback", Level::info, pipe.writer);
        std::string const pad(1000, 'x');
        for (int i = 0; i < 1000; ++i)
            logger.info("line", {{"pad", pad}});
    }
    SUCCEED("the logger was destroyed although the pipe is full");
}
