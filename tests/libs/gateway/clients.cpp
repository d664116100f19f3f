#include "support.hpp"

using core::Environment;

namespace {

auto const at_demo = host("demo.things.localhost");

struct Clients {
    Fixture f;

    /// A token of this client for an administrator.
    std::pair<std::string, std::string> token_of(std::string const& client)
    {
        return bearer(f.issuer.token(
            {.environment = Environment::production, .role = "admin"}, {{"client_id", client}}));
    }

    unsigned status(http::Method method, std::string const& path, std::string const& client)
    {
        return f.send({.method = method, .path = path, .headers = {at_demo, token_of(client)}}).status;
    }
};

} // namespace

TEST_CASE("a client's token reaches only the routes that allow clients")
{
    Clients clients;
    CHECK(clients.status(http::Method::get, "/v1/client", "app") == 200);
    CHECK(clients.status(http::Method::get, "/v1/things", "app") == 403);
    CHECK(clients.status(http::Method::patch, "/v1/staff", "app") == 403);
    CHECK(clients.status(http::Method::get, "/v1/half-open", "app") == 403);
    CHECK(clients.status(http::Method::get, "/v1/open", "app") == 200); // it ignores credentials
    CHECK(clients.status(http::Method::get, "/v1/enrol", "app") == 403);
    CHECK(clients.status(http::Method::post, "/v1/erasures", "app") == 401);
    CHECK_THAT(clients.f.log(), Catch::Contains("\"caller\":\"client\""));
}

TEST_CASE("a token of the service's own client acts like the user")
{
    Clients clients;
    for (auto const* path : {"/v1/client", "/v1/things", "/v1/half-open"})
        CHECK(clients.status(http::Method::get, path, "own") == 200);
    CHECK(clients.status(http::Method::patch, "/v1/staff", "own") == 200);
}

TEST_CASE("the errors of a route have the form of its protocol, and scripts may read them")
{
    Clients clients;
    auto& f = clients.f;
    f.set_origins("demo", Environment::production, {"https://app.example.com"});
    std::pair<std::string, std::string> const origin{"Origin", "https://app.example.com"};
    auto const send = [&](std::vector<std::pair<std::string, std::string>> headers, std::string body = {}) {
        headers.push_back(at_demo);
        headers.push_back(origin);
        return f.send(
            {.method = http::Method::post, .path = "/v1/protocol", .headers = headers, .body = body});
    };
    auto const missing = send({});
    CHECK(missing.status == 401);
    CHECK(missing.body == "own UNAUTHORIZED /v1/protocol");
    CHECK(missing.header("x-own") == "yes");
    CHECK(send({bearer("nonsense")}).body == "own UNAUTHORIZED /v1/protocol");
    CHECK(send({clients.token_of("own")}).body == "own FORBIDDEN /v1/protocol"); // of an administrator
    auto const large = send({clients.token_of("app")}, std::string(9, 'x'));
    CHECK(large.status == 413);
    CHECK(large.body == "own PAYLOAD_TOO_LARGE /v1/protocol");
    CHECK(large.header("access-control-allow-origin") == "https://app.example.com");
    CHECK(send({clients.token_of("app")}, "x").status == 200);
}
