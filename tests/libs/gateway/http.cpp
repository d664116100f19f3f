#include "http_server/server.hpp"
#include "support.hpp"
#include "support/http_client.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <thread>

using core::Environment;

TEST_CASE("the gateway handles requests over real connections")
{
    Fixture f;
    auto const key = f.mint("demo", Environment::production);
    boost::asio::io_context context(1);
    auto work = boost::asio::make_work_guard(context);
    http_server::Server server({&context}, {}, f.gateway());
    std::thread thread([&] { context.run(); });
    testing::HttpClient client("http://127.0.0.1:" + std::to_string(server.port()));
    client.set("Host", "demo.things.localhost");

    auto const refused = client.get("/v1/things");
    CHECK(refused.status == 401);
    CHECK(refused.header("www-authenticate") == "Bearer");
    CHECK(refused.header("content-type") == "application/problem+json");
    CHECK(refused.header("vary") == "Origin");
    CHECK(refused.json().at("requestId").as_string() == refused.header("x-request-id"));

    client.set("Authorization", "Bearer " + key);
    CHECK(client.post("/v1/things", R"({"a":1})").json().at("body").as_string() == R"({"a":1})");
    CHECK(client.get("/v1/things").json().at("remote") == "127.0.0.1");
    CHECK(client.request("HEAD", "/v1/things").status == 200);
    CHECK(client.post("/v1/small", "123456789").status == 413);
    CHECK(client.post("/v1/stream", "pieces").json().at("piece") == "pieces");
    CHECK(client.del("/v1/things").header("allow") == "GET, HEAD, POST");

    server.drain();
    server.abort();
    work.reset();
    thread.join();
}
