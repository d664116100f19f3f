#include "support.hpp"

#include <sstream>

using core::Environment;
using http::Method;

namespace {

std::vector<boost::json::object> lines(std::string const& log)
{
    std::vector<boost::json::object> out;
    std::istringstream text(log);
    for (std::string line; std::getline(text, line);)
        out.push_back(boost::json::parse(line).as_object());
    return out;
}

} // namespace

TEST_CASE("every request gives one log line with its caller and result")
{
    Fixture f;
    auto const raw = f.mint("demo", Environment::sandbox);
    f.send({.method = Method::post, .path = "/v1/things?q=private", .headers = {bearer(raw)}, .body = "{}"});
    f.send({.path = "/v1/nope", .headers = {host("demo.things.localhost")}});
    auto const all = lines(f.log());
    REQUIRE(all.size() == 2);
    auto const& line = all[0];
    CHECK(line.at("message") == "request");
    CHECK(line.at("level") == "info");
    CHECK(line.at("method") == "POST");
    CHECK(line.at("route") == "/v1/things");
    CHECK(line.at("path") == "/v1/things");
    CHECK(line.at("status") == 200);
    CHECK(line.at("durationUs").is_int64());
    CHECK(line.at("tenant") == "demo");
    CHECK(line.at("env") == "sandbox");
    CHECK(line.at("caller") == "key");
    CHECK(line.at("callerId").as_string() == "key:" + raw.substr(0, 12));
    CHECK(line.at("requestId").as_string().size() == 32);
    CHECK(line.at("traceId").as_string().size() == 32);
    CHECK(line.at("remote") == "192.0.2.1");
    CHECK(all[1].at("status") == 401);
    CHECK(all[1].at("caller") == "anonymous");
    CHECK(all[1].at("path") == "unmatched");
    CHECK(all[1].at("route") == "");
    CHECK(all[1].at("requestId").as_string().size() == 32);
}

TEST_CASE("a log line contains generated ids, and only the names of other path parameters")
{
    Fixture f;
    auto const key = bearer(f.mint("demo", Environment::production));
    std::string const id = "0190b3c2-7d5e-7c3a-9f00-6b2f7f1e5a11";
    auto const path_of = [&](Method method, std::string const& path) {
        f.send({.method = method, .path = path, .headers = {host("demo.things.localhost"), key}});
        return std::string(lines(f.log()).back().at("path").as_string());
    };
    CHECK(
        path_of(Method::get, "/v1/users/ada@example.com/things/" + id) == "/v1/users/{userId}/things/" + id);
    CHECK(path_of(Method::get, "/v1/users/" + id + "/things/" + id) == "/v1/users/{userId}/things/" + id);
    CHECK(path_of(Method::get, "/v1/users/7/things/4155550100") == "/v1/users/{userId}/things/{thingId}");
    CHECK(path_of(Method::put, "/v1/%64evices/s3cret") == "/v1/devices/{token}");
    CHECK(path_of(Method::put, "/%75ploads/s3cret") == "/uploads/{token}");
    CHECK(path_of(Method::del, "/v1/users/ada/things/7") == "/v1/users/{userId}/things/{thingId}"); // 405
    CHECK(path_of(Method::get, "/v1/users/ada@example.com") == "unmatched");
    CHECK(path_of(Method::put, "/v1/devices/s3cret/more") == "unmatched");
    CHECK(path_of(Method::get, "/" + std::string(3000, 'a')) == "unmatched");
    CHECK_THAT(f.log(), !Catch::Contains("s3cret") && !Catch::Contains("ada@example.com"));
}

TEST_CASE("the text of an unknown method is not logged")
{
    Fixture f;
    http::Request request;
    request.method_text = "ada@example.com";
    request.path = "/v1/things";
    testing::run_awaitable(f.gateway().handle(request));
    CHECK(lines(f.log()).back().at("method") == "OTHER");
}

TEST_CASE("no credential is ever logged")
{
    Fixture f;
    auto const key = f.mint("demo", Environment::production);
    auto const other = f.mint("other", Environment::production);
    auto const token = f.issuer.token({.environment = Environment::production});
    auto const forged = token.substr(0, token.size() - 4) + "AAAA";
    auto const at_demo = host("demo.things.localhost");
    std::vector<std::string> const secrets{key, other, token, forged, Fixture::master, "s3cret-upload"};
    for (auto const& secret : secrets) {
        f.send({.headers = {at_demo, bearer(secret)}});
        f.send({.path = "/v1/things?access_token=" + secret, .headers = {at_demo, bearer(secret)}});
        f.send({.path = "/v1/fail/bug", .headers = {at_demo, bearer(secret)}});
        f.send({.headers = {at_demo, {"Authorization", secret}}});
        f.send({.method = Method::put, .path = "/uploads/" + secret});
        f.send({.path = "/uploads/" + secret});
        f.send({.method = Method::put, .path = "/v1/devices/" + secret, .headers = {at_demo, bearer(key)}});
    }
    std::string const log = f.log();
    REQUIRE(lines(log).size() >= 7 * secrets.size());
    for (auto const& secret : secrets) {
        INFO(secret);
        CHECK_THAT(log, !Catch::Contains(secret));
    }
    CHECK_THAT(log, Catch::Contains("\"path\":\"/uploads/{token}\""));
}
