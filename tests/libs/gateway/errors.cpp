#include "support.hpp"

using core::Environment;

namespace {

struct Failing {
    Fixture f;
    std::pair<std::string, std::string> key = bearer(f.mint("demo", Environment::production));

    Answer operator()(std::string const& how)
    {
        return f.send({.path = "/v1/fail/" + how, .headers = {key, {"X-Request-Id", "request-7"}}});
    }
};

} // namespace

TEST_CASE("an error is sent as its problem document")
{
    Failing fail;
    auto const answer = fail("error");
    CHECK(answer.status == 409);
    auto const document = boost::json::parse(answer.body).as_object();
    CHECK(document.at("error") == "CONFLICT");
    CHECK(document.at("detail") == "It is taken.");
    CHECK(document.at("requestId") == "request-7");
    CHECK(document.at("taken") == true);
    CHECK(answer.header("x-request-id") == "request-7");
    CHECK(fail("challenge").header("www-authenticate") == "Bearer realm=\"x\"");
}

TEST_CASE("an unavailable dependency gives 503 with Retry-After")
{
    Failing fail;
    auto const redis = fail("redis");
    CHECK(redis.status == 503);
    CHECK(redis.code() == "UNAVAILABLE");
    CHECK(redis.header("retry-after") == "1");
    CHECK_THAT(redis.body, !Catch::Contains("secret-redis-host"));
    CHECK(fail("database").header("retry-after") == "3");
}

TEST_CASE("an unexpected exception gives 500 without details, and a log line with details")
{
    Failing fail;
    auto const answer = fail("bug");
    CHECK(answer.status == 500);
    CHECK(answer.code() == "INTERNAL");
    CHECK_THAT(answer.body, !Catch::Contains("secret detail"));
    std::string const log = fail.f.log();
    CHECK_THAT(log, Catch::Contains("\"level\":\"error\""));
    CHECK_THAT(log, Catch::Contains("secret detail of the inside"));
    CHECK_THAT(log, !Catch::Contains("+15550100")); // values of rows are not logged
    CHECK_THAT(log, Catch::Contains("\"requestId\":\"request-7\""));
    CHECK(fail("number").status == 500);
    CHECK(fail("well").status == 200); // later requests succeed
}

TEST_CASE("a valid request id is returned, and an invalid one is replaced")
{
    Fixture f;
    auto const id = [&](std::string const& sent) {
        return f.send({.path = "/nope", .headers = {{"X-Request-Id", sent}}}).header("x-request-id");
    };
    CHECK(id("a.B_c-9") == "a.B_c-9");
    CHECK(id(std::string(64, 'a')) == std::string(64, 'a'));
    for (std::string const& odd :
        {std::string(65, 'a'), std::string("a b"), std::string("a\"b"), std::string()}) {
        CHECK(id(odd).size() == 32);
        CHECK(id(odd) != id(odd));
    }
}

TEST_CASE("the trace of a request is continued")
{
    Failing fail;
    std::string const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    auto const answer =
        fail.f.send({.headers = {fail.key, {"traceparent", "00-" + trace + "-00f067aa0ba902b7-01"}}});
    CHECK_THAT(answer.body, Catch::Contains("\"traceparent\":\"00-" + trace));
    CHECK_THAT(answer.body, !Catch::Contains("00f067aa0ba902b7"));
    CHECK_THAT(fail.f.log(), Catch::Contains("\"traceId\":\"" + trace + "\""));
}

TEST_CASE("the client's address is taken from trusted proxies")
{
    Fixture f({.proxies = "10.0.0.0/8"});
    auto const key = bearer(f.mint("demo", Environment::production));
    auto const remote = [&](std::string const& peer, std::vector<std::string> const& forwarded) {
        Call call{.headers = {key}, .peer = peer};
        for (auto const& value : forwarded)
            call.headers.emplace_back("X-Forwarded-For", value);
        return std::string(boost::json::parse(f.send(call).body).at("remote").as_string());
    };
    CHECK(remote("192.0.2.1", {}) == "192.0.2.1");
    CHECK(remote("192.0.2.1", {"198.51.100.7"}) == "192.0.2.1"); // the peer is not a trusted proxy
    CHECK(remote("10.0.0.1", {"198.51.100.7"}) == "198.51.100.7");
    CHECK(remote("10.0.0.1", {"1.2.3.4, 198.51.100.7, 10.9.9.9"}) == "198.51.100.7");
    // Two X-Forwarded-For lines form one list.
    CHECK(remote("10.0.0.1", {"1.2.3.4", "198.51.100.7"}) == "198.51.100.7");
    CHECK(remote("10.0.0.1", {"1.2.3.4, nonsense"}) == "10.0.0.1");
}
