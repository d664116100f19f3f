#include "http/router.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using http::Method;

namespace {

http::Router make(std::vector<std::pair<Method, std::string_view>> const& routes)
{
    std::vector<http::Endpoint> endpoints;
    for (auto const& [method, path] : routes)
        endpoints.push_back({method, path, core::Access::anonymous, {}, {}, endpoints.size()});
    return http::Router(std::move(endpoints));
}

http::Router const& router()
{
    static http::Router const r = make({
        {Method::post, "/v1/feedbacks"},
        {Method::get, "/v1/feedbacks"},
        {Method::get, "/v1/feedbacks/stats"},
        {Method::get, "/v1/feedbacks/{feedbackId}"},
        {Method::patch, "/v1/feedbacks/{id}"},
        {Method::post, "/v1/feedbacks/{feedbackId}/replies"},
        {Method::post, "/v1/keys/rotate"},
        {Method::del, "/v1/keys/{prefix}"},
        {Method::get, "/v1/keys/{prefix}/uses"},
        {Method::get, "/a/{x}/b/{y}"},
        {Method::get, "/"},
    });
    return r;
}

/// Returns the endpoint's path and its parameters as `name=value`. If only the method does not match, returns
/// `allow: ` and the methods. Otherwise returns "".
std::string matched(Method method, std::string_view path)
{
    http::Request request;
    request.method = method;
    request.path = path;
    auto const match = router().match(request);
    if (!match.endpoint) return match.allow.empty() ? "" : "allow: " + match.allow;
    CHECK(match.endpoint == &router().endpoints()[match.endpoint->index]);
    CHECK(match.endpoint->method == method);
    std::string text(match.endpoint->path);
    for (auto const& [name, value] : request.params)
        text += " " + std::string(name) + "=" + value;
    return text;
}

} // namespace

TEST_CASE("a path matches its endpoint")
{
    CHECK(matched(Method::post, "/v1/feedbacks") == "/v1/feedbacks");
    CHECK(matched(Method::get, "/v1/feedbacks/7") == "/v1/feedbacks/{feedbackId} feedbackId=7");
    CHECK(matched(Method::patch, "/v1/feedbacks/7") == "/v1/feedbacks/{id} id=7");
    CHECK(matched(Method::post, "/v1/feedbacks/7/replies") ==
          "/v1/feedbacks/{feedbackId}/replies feedbackId=7");
    CHECK(matched(Method::get, "/a/1/b/2") == "/a/{x}/b/{y} x=1 y=2");
    CHECK(matched(Method::get, "/") == "/");
}

TEST_CASE("a static segment takes precedence over a parameter if the rest of the path matches")
{
    CHECK(matched(Method::get, "/v1/feedbacks/stats") == "/v1/feedbacks/stats");
    CHECK(matched(Method::post, "/v1/keys/rotate") == "/v1/keys/rotate");
    CHECK(matched(Method::get, "/v1/keys/rotate/uses") == "/v1/keys/{prefix}/uses prefix=rotate");
    CHECK(matched(Method::del, "/v1/keys/rotate") == "/v1/keys/{prefix} prefix=rotate");
}

TEST_CASE("an unknown path matches nothing")
{
    for (char const* path :
        {"", "v1", "/v1", "/v1/", "/v1/feedbacks/", "/v1//feedbacks", "//v1/feedbacks", "/V1/feedbacks",
            "/v1/feedbacks/7/", "/v1/feedbacks/7/replies/8", "/v1/feedbacks/7/x", "/a/1/b/", "*"}) {
        INFO(path);
        CHECK(matched(Method::get, path).empty());
    }
}

TEST_CASE("a known path with another method gives the allowed methods")
{
    CHECK(matched(Method::del, "/v1/feedbacks") == "allow: POST, GET, HEAD");
    CHECK(matched(Method::del, "/v1/feedbacks/7") == "allow: GET, HEAD, PATCH");
    CHECK(matched(Method::other, "/v1/feedbacks/7/replies") == "allow: POST");
    CHECK(matched(Method::del, "/v1/feedbacks/stats") == "allow: GET, HEAD, PATCH");
}

TEST_CASE("a known path has its pattern with any method")
{
    auto const pattern = [](Method method, std::string_view path) {
        http::Request request;
        request.method = method;
        request.path = path;
        return router().match(request).pattern;
    };
    CHECK(pattern(Method::get, "/v1/%66eedbacks/7") == "/v1/feedbacks/{feedbackId}");
    CHECK(pattern(Method::put, "/v1/keys/s3cret") == "/v1/keys/{prefix}");
    CHECK(pattern(Method::get, "/v1/nothing").empty());
}

TEST_CASE("a logged path contains only generated ids")
{
    using Params = std::vector<std::pair<std::string_view, std::string>>;
    std::string const id = "0190b3c2-7d5e-7c3a-9f00-6b2f7f1e5a11";
    CHECK(http::shown_path("/v1/feedbacks", Params()) == "/v1/feedbacks");
    CHECK(http::shown_path("/v1/feedbacks/{feedbackId}/replies", Params{{"feedbackId", id}}) ==
          "/v1/feedbacks/" + id + "/replies");
    CHECK(http::shown_path("/v1/feedbacks/{feedbackId}", Params{{"feedbackId", "ada@example.com"}}) ==
          "/v1/feedbacks/{feedbackId}");
    CHECK(http::shown_path("/v1/users/{userId}", Params{{"userId", id}}) == "/v1/users/{userId}");
    CHECK(http::shown_path("/v1/devices/{token}", Params{{"token", id}}) == "/v1/devices/{token}");
    CHECK(http::shown_path("/a/{oneId}/{userId}/{twoId}",
              Params{{"oneId", id}, {"userId", "x"}, {"twoId", id}}) == "/a/" + id + "/{userId}/" + id);
}

TEST_CASE("a route without a body limit gets the default for its callers")
{
    std::vector<http::Endpoint> endpoints{
        {Method::post, "/open", core::Access::anonymous, {}, {}, 0},
        {Method::post, "/closed", core::Access::key_or_user, {}, {}, 1},
        {Method::post, "/stated", core::Access::anonymous, {.body_limit = 7}, {}, 2},
    };
    http::Router const limited(std::move(endpoints));
    CHECK(limited.endpoints()[0].options.body_limit == 16 * 1024);
    CHECK(limited.endpoints()[1].options.body_limit == 1024 * 1024);
    CHECK(limited.endpoints()[2].options.body_limit == 7);
}

TEST_CASE("segments are percent-decoded one by one")
{
    CHECK(matched(Method::get, "/v1/%66eedbacks/a%2Fb%20c") == "/v1/feedbacks/{feedbackId} feedbackId=a/b c");
    CHECK(matched(Method::get, "/v1/feedbacks/a+b") == "/v1/feedbacks/{feedbackId} feedbackId=a+b");
    CHECK(matched(Method::get, "/v1/feedbacks/%C3%A9") == "/v1/feedbacks/{feedbackId} feedbackId=\xc3\xa9");
    for (char const* path :
        {"/v1/feedbacks/%", "/v1/feedbacks/%zz", "/v1/feedbacks/%ff", "/v1/feedbacks/%00"}) {
        INFO(path);
        CHECK(matched(Method::get, path).empty());
    }
}

TEST_CASE("parameters of an earlier match are cleared")
{
    http::Request request;
    request.method = Method::get;
    request.path = "/v1/feedbacks/7";
    router().match(request);
    request.path = "/v1/feedbacks";
    router().match(request);
    CHECK(request.params.empty());
}

TEST_CASE("a route table with contradictions is refused")
{
    CHECK_THROWS_AS(make({{Method::get, "/a/{x}"}, {Method::get, "/a/{y}"}}), std::logic_error);
    CHECK_THROWS_AS(make({{Method::get, "a"}}), std::logic_error);
}

TEST_CASE("a route table is bound to its dependencies")
{
    struct Deps {
        int calls = 0;
    } deps;

    static constexpr http::Route<Deps> routes[] = {
        {Method::get, "/a", core::Access::staff,
            [](http::Request const&, Deps& d) -> http::asio::awaitable<http::Response> {
                ++d.calls;
                co_return http::Response::ok("{}");
            }},
        {Method::post, "/a", core::Access::anonymous,
            [](http::Request const&, Deps&) -> http::asio::awaitable<http::Response> {
                co_return http::Response::created("{}");
            },
            http::idempotent},
    };
    auto const endpoints = http::bind(std::span<http::Route<Deps> const>(routes), deps);
    REQUIRE(endpoints.size() == 2);
    CHECK(endpoints[0].access == core::Access::staff);
    CHECK_FALSE(endpoints[0].options.idempotent);
    CHECK(endpoints[1].options.idempotent);
    CHECK(endpoints[1].index == 1);
}
