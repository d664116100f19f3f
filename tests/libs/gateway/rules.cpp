#include "gateway/rules.hpp"

#include "support.hpp"

using core::Environment;
using tenancy::Resolution;

namespace {

gateway::Credential read(std::vector<http::Header> headers)
{
    http::Request request;
    request.headers = std::move(headers);
    return gateway::read_credential(request);
}

} // namespace

TEST_CASE("a bearer token is read according to RFC 6750")
{
    CHECK_FALSE(read({}).sent);
    CHECK_FALSE(read({{"Authorization", "Basic dXNlcjpwYXNz"}}).sent);
    CHECK_FALSE(read({{"Authorization", ""}}).sent);
    CHECK(read({{"authorization", "bearer abc"}}).token == "abc");
    CHECK(read({{"Authorization", "Bearer   abc"}}).token == "abc");
    for (char const* value : {"Bearer", "Bearer ", "Bearer a b", "Bearer a,b"}) {
        INFO(value);
        auto const credential = read({{"Authorization", value}});
        CHECK(credential.sent);
        CHECK(credential.token.empty());
    }
    CHECK(read({{"Authorization", "Bearer a"}, {"Authorization", "Bearer a"}}).token.empty());
    CHECK(read({{"Authorization", "Basic x"}, {"Authorization", "Bearer a"}}).token.empty());
    std::string const longest = "Bearer " + std::string(8192, 'a');
    CHECK(read({{"Authorization", longest}}).token.size() == 8192);
    std::string const longer = longest + "a";
    CHECK(read({{"Authorization", longer}}).token.empty());
}

TEST_CASE("a credential must agree with the scope that host and headers name")
{
    Resolution const nothing;
    CHECK(gateway::agrees(nothing, "demo", Environment::production));
    Resolution const only_env{.environment = Environment::sandbox};
    CHECK(gateway::agrees(only_env, "demo", Environment::sandbox));
    CHECK_FALSE(gateway::agrees(only_env, "demo", Environment::production));
    Resolution const demo{
        .kind = Resolution::Kind::tenant, .slug = "demo", .environment = Environment::sandbox};
    CHECK(gateway::agrees(demo, "demo", Environment::sandbox));
    CHECK_FALSE(gateway::agrees(demo, "demo", Environment::production));
    CHECK_FALSE(gateway::agrees(demo, "other", Environment::sandbox));
    Resolution const unknown{.kind = Resolution::Kind::unknown};
    CHECK_FALSE(gateway::agrees(unknown, "demo", Environment::production));
}

TEST_CASE("requests of each caller are counted separately")
{
    http::Context context;
    context.scope = core::Scope::of(core::TenantId{21}, Environment::production, "demo");
    context.caller = {.kind = core::Access::key, .id = "key:fbk_a1b2c3d4"};
    CHECK(gateway::rate_subject(context) == "42:key:fbk_a1b2c3d4");
    context.caller = {.kind = core::Access::owner, .id = "7c"};
    CHECK(gateway::rate_subject(context) == "42:user:7c");
    CHECK(gateway::rate_subject_of_user(context.scope.id, "7c") == "42:user:7c");
    context.caller.id = "key:fbk_a1b2c3d4"; // a user whose id looks like that of a key
    CHECK(gateway::rate_subject(context) == "42:user:key:fbk_a1b2c3d4");
}

TEST_CASE("several lines of a header form one list")
{
    http::Request request;
    CHECK(gateway::joined_header(request, "X-Forwarded-For") == std::nullopt);
    request.headers = {
        {"x-forwarded-for", "1.1.1.1"}, {"Host", "a"}, {"X-Forwarded-For", "2.2.2.2, 3.3.3.3"}};
    CHECK(gateway::joined_header(request, "X-Forwarded-For") == "1.1.1.1,2.2.2.2, 3.3.3.3");
}

TEST_CASE("only a trusted proxy can say that a client connected without TLS")
{
    auto const proxies = gateway::TrustedProxies::parse("10.0.0.0/8").value();
    auto const plain = [&](std::string const& peer, std::vector<std::string_view> const& protocols) {
        http::Request request;
        request.remote_address = peer;
        for (auto const protocol : protocols)
            request.headers.push_back({"X-Forwarded-Proto", protocol});
        return gateway::is_plain_http(request, proxies);
    };
    CHECK(plain("10.1.2.3", {"http"}));
    CHECK(plain("10.1.2.3", {"https, HTTP "}));
    CHECK(plain("10.1.2.3", {"https", "http"}));
    CHECK_FALSE(plain("10.1.2.3", {"http, https"})); // the client's own value comes first
    CHECK_FALSE(plain("10.1.2.3", {"http", "https"}));
    CHECK_FALSE(plain("10.1.2.3", {"https"}));
    CHECK_FALSE(plain("10.1.2.3", {}));
    CHECK_FALSE(plain("192.0.2.1", {"http"}));
    CHECK_FALSE(plain("", {"http"}));
}
