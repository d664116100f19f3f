#include "auth/token_claims.hpp"

using core::Environment;
namespace token = auth::token;

TEST_CASE("the host of a tenant contains the tenant and the environment")
{
    CHECK(token::authority("auth.example.com", "demo", Environment::production) == "demo.auth.example.com");
    CHECK(token::authority("auth.example.com", "demo", Environment::sandbox) ==
          "demo-sandbox.auth.example.com");
}

TEST_CASE("an issuer matches only its own host, tenant and environment")
{
    struct Case {
        char const* iss;
        bool production;
        bool sandbox;
    };

    auto const cases = std::array{
        Case{"https://demo.auth.example.com", true, false},
        Case{"https://demo-sandbox.auth.example.com", false, true},
        Case{"http://demo.auth.example.com", false, false},
        Case{"https://demo.auth.example.com/", false, false},
        Case{"https://demo.auth.example.com:443", false, false},
        Case{"https://demo.auth.example.com.evil.test", false, false},
        Case{"https://demos.auth.example.com", false, false},
        Case{"https://dem.auth.example.com", false, false},
        Case{"https://evil.test/demo.auth.example.com", false, false},
        Case{"https://auth.example.com", false, false},
        Case{"HTTPS://demo.auth.example.com", false, false},
        Case{"demo.auth.example.com", false, false},
        Case{"", false, false},
    };
    for (auto const& c : cases) {
        INFO(c.iss);
        CHECK(token::is_issuer(c.iss, "auth.example.com", "demo", Environment::production) == c.production);
        CHECK(token::is_issuer(c.iss, "auth.example.com", "demo", Environment::sandbox) == c.sandbox);
    }
}

TEST_CASE("a local issuer may use http and any port")
{
    auto const accepts = [](std::string_view iss, std::string_view host) {
        return token::is_issuer(iss, host, "demo", Environment::production);
    };
    CHECK(accepts("http://demo.auth.localhost", "auth.localhost"));
    CHECK(accepts("http://demo.auth.localhost:8102", "auth.localhost"));
    CHECK(accepts("https://demo.auth.localhost:8102", "auth.localhost"));
    CHECK(accepts("http://demo.localhost", "localhost"));
    CHECK(accepts("http://demo.auth.localhost:8102", "auth.localhost:8102"));
    CHECK_FALSE(accepts("http://demo.auth.localhost:8102x", "auth.localhost"));
    CHECK_FALSE(accepts("http://demo.auth.localhost:", "auth.localhost"));
    CHECK_FALSE(accepts("http://demo.auth.localhost:8102/", "auth.localhost"));
    CHECK_FALSE(accepts("http://demo.notlocalhost", "notlocalhost"));
}
