#include "gateway/expensive_request_limiter.hpp"

#include "core/error.hpp"
#include "support/run_awaitable.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <vector>

namespace {

bool is_refused(gateway::ExpensiveRequestLimiter& reads, core::ScopeId scope_id)
{
    try {
        reads.enter(scope_id);
    } catch (core::Error const& error) {
        CHECK(error.code().name == "RATE_LIMITED");
        CHECK(error.headers().front() == std::pair<std::string, std::string>("Retry-After", "1"));
        return true;
    }
    return false;
}

http::Request request_of(core::ScopeId scope_id, std::string_view query = "expensive")
{
    http::Request request;
    request.query = query;
    request.context.scope.id = scope_id;
    request.context.caller.kind = core::Access::key;
    return request;
}

/// An endpoint that treats requests with a query as expensive. `answer` makes its response.
http::Endpoint endpoint(std::function<http::Response()> answer)
{
    http::Endpoint made;
    made.options.is_expensive = [](http::Request const& request) { return !request.query.empty(); };
    made.handler = [answer = std::move(answer)](
                       http::Request const&) -> boost::asio::awaitable<http::Response> {
        co_return answer();
    };
    return made;
}

} // namespace

TEST_CASE("a scope has a limited number of expensive requests, and each counts until its release")
{
    gateway::ExpensiveRequestLimiter reads(2);
    auto first = reads.enter(core::ScopeId{1});
    auto const second = reads.enter(core::ScopeId{1});
    CHECK(is_refused(reads, core::ScopeId{1}));
    CHECK_FALSE(is_refused(reads, core::ScopeId{2}));
    first.reset();
    CHECK_FALSE(is_refused(reads, core::ScopeId{1}));
}

TEST_CASE("anonymous callers have expensive requests of their own, half as many")
{
    gateway::ExpensiveRequestLimiter reads(4);
    core::ScopeId const scope{1};
    std::vector<std::shared_ptr<void const>> used{reads.enter(scope, true), reads.enter(scope, true)};
    CHECK_THROWS_AS(reads.enter(scope, true), core::Error);
    for (int i = 0; i < 4; ++i)
        used.push_back(reads.enter(scope));
    CHECK(is_refused(reads, scope));
}

TEST_CASE("an expensive request counts until its stream is sent, and other requests do not count")
{
    gateway::ExpensiveRequestLimiter reads(1);
    auto const guarded = reads.limit(endpoint([] {
        http::Response response;
        response.stream = []() -> boost::asio::awaitable<std::string> { co_return ""; };
        return response;
    }));
    auto const expensive = request_of(core::ScopeId{1});
    auto const light = request_of(core::ScopeId{1}, "");
    {
        auto response = testing::run_awaitable(guarded.handler(expensive));
        CHECK(testing::run_awaitable(response.stream()).empty());
        CHECK(is_refused(reads, core::ScopeId{1}));
        CHECK_THROWS_AS(testing::run_awaitable(guarded.handler(expensive)), core::Error);
        testing::run_awaitable(guarded.handler(light));
    }
    CHECK_FALSE(is_refused(reads, core::ScopeId{1}));
}

TEST_CASE("an expensive request whose handler fails no longer counts")
{
    gateway::ExpensiveRequestLimiter reads(1);
    auto const guarded = reads.limit(endpoint([]() -> http::Response { throw std::runtime_error("no"); }));
    auto const expensive = request_of(core::ScopeId{1});
    CHECK_THROWS_AS(testing::run_awaitable(guarded.handler(expensive)), std::runtime_error);
    CHECK_FALSE(is_refused(reads, core::ScopeId{1}));
}
