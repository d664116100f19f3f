#include "observe/trace.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <thread>
#include <vector>

namespace {

std::string const trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
std::string const parent_id = "00f067aa0ba902b7";

bool is_hex(std::string const& text, std::size_t size)
{
    return text.size() == size && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

} // namespace

TEST_CASE("a valid traceparent is read")
{
    auto const trace = observe::parse_traceparent("00-" + trace_id + "-" + parent_id + "-01");
    REQUIRE(trace);
    CHECK(trace->trace_id == trace_id);
    CHECK(trace->parent_id == parent_id);
    CHECK(trace->sampled);
    CHECK_FALSE(observe::parse_traceparent("00-" + trace_id + "-" + parent_id + "-00")->sampled);
    CHECK_FALSE(observe::parse_traceparent("00-" + trace_id + "-" + parent_id + "-02")->sampled);
    CHECK(observe::parse_traceparent("00-" + trace_id + "-" + parent_id + "-ff")->sampled);
}

TEST_CASE("the trace id of a traceparent is extracted for log lines")
{
    auto const header = observe::continue_trace("00-" + trace_id + "-" + parent_id + "-01").traceparent();
    CHECK(observe::trace_id_of(header) == trace_id);
    CHECK(observe::trace_id_of("").empty());
    CHECK(observe::trace_id_of("00-" + trace_id).empty());
}

TEST_CASE("the known part of a later version is read")
{
    CHECK(observe::parse_traceparent("cc-" + trace_id + "-" + parent_id + "-01"));
    CHECK(observe::parse_traceparent("cc-" + trace_id + "-" + parent_id + "-01-what-the-future-holds"));
    CHECK_FALSE(observe::parse_traceparent("cc-" + trace_id + "-" + parent_id + "-01.what"));
}

TEST_CASE("an invalid traceparent is rejected")
{
    std::vector<std::string> const bad{
        "",
        "00",
        "00-" + trace_id + "-" + parent_id,
        "00-" + trace_id + "-" + parent_id + "-1",
        "00-" + trace_id + "-" + parent_id + "-011",
        "00-" + trace_id + "-" + parent_id + "-01-",
        "00-" + trace_id + "-" + parent_id + "-01-more",
        "00-" + trace_id + "-" + parent_id + "-0g",
        "ff-" + trace_id + "-" + parent_id + "-01",
        "0g-" + trace_id + "-" + parent_id + "-01",
        "00_" + trace_id + "-" + parent_id + "-01",
        "00-" + trace_id + "_" + parent_id + "-01",
        "00-" + trace_id + "-" + parent_id + "_01",
        "00-" + std::string(32, '0') + "-" + parent_id + "-01",
        "00-" + trace_id + "-" + std::string(16, '0') + "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + parent_id + "-01",
        "00-" + trace_id + "-00F067AA0BA902B7-01",
        " 00-" + trace_id + "-" + parent_id + "-01",
    };
    for (auto const& header : bad) {
        CAPTURE(header);
        CHECK_FALSE(observe::parse_traceparent(header));
        auto const trace = observe::continue_trace(header);
        CHECK(trace.trace_id != trace_id);
        CHECK(trace.parent_id.empty());
    }
}

TEST_CASE("a trace continues with a new span")
{
    auto const trace = observe::continue_trace("00-" + trace_id + "-" + parent_id + "-01");
    CHECK(trace.trace_id == trace_id);
    CHECK(trace.parent_id == parent_id);
    CHECK(is_hex(trace.span_id, 16));
    CHECK(trace.span_id != parent_id);
    CHECK(trace.traceparent() == "00-" + trace_id + "-" + trace.span_id + "-01");
}

TEST_CASE("a new trace starts without a header, and the sent header is valid")
{
    auto const trace = observe::continue_trace(std::nullopt);
    CHECK(is_hex(trace.trace_id, 32));
    CHECK_FALSE(trace.sampled);
    auto const sent = observe::parse_traceparent(trace.traceparent());
    REQUIRE(sent);
    CHECK(sent->trace_id == trace.trace_id);
    CHECK(sent->parent_id == trace.span_id);
}

TEST_CASE("a valid request id of the caller is kept")
{
    std::vector<std::string> const good{"a", "0", "A-b_c.9", std::string(64, 'x')};
    for (auto const& id : good)
        CHECK(observe::request_id(id) == id);
    std::vector<std::string> const bad{
        "", std::string(65, 'x'), "a b", "a\n", "a/b", "\xC3\xBC", "a\"", "a:b"};
    for (auto const& id : bad) {
        CAPTURE(id);
        CHECK(observe::request_id(id) != id);
        CHECK(is_hex(observe::request_id(id), 32));
    }
}

TEST_CASE("generated ids differ, on one thread and between threads")
{
    constexpr std::size_t each = 2000;
    std::vector<std::vector<std::string>> made(4);
    std::vector<std::thread> threads;
    for (auto& ids : made)
        threads.emplace_back([&ids] {
            for (std::size_t i = 0; i < each; ++i)
                ids.push_back(observe::request_id(std::nullopt));
        });
    for (auto& thread : threads)
        thread.join();
    std::set<std::string> all;
    for (auto const& ids : made)
        all.insert(ids.begin(), ids.end());
    CHECK(all.size() == made.size() * each);
}
