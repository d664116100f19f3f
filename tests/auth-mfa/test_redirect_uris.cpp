#include "domain/redirect_uri.hpp"

#include <catch2/catch.hpp>

using namespace auth_mfa;

namespace {

std::string fault_of(std::string const& uri, ClientType type = ClientType::is_public)
{
    auto const fault = redirect_uri_fault(uri, type);
    return fault ? std::string(fault->code) : std::string();
}

Client client_with(std::string const& uri, ClientType type = ClientType::is_public)
{
    Client client;
    client.id = "app";
    client.type = type;
    client.redirect_uris = {"https://first.example.com/", uri};
    return client;
}

bool matches(std::string const& registered, std::string const& uri, ClientType type = ClientType::is_public)
{
    return redirect_uri_matches(client_with(registered, type), uri);
}

} // namespace

TEST_CASE(
    "a redirect URI is https, http at a loopback host, or a private-use scheme of a public client", "[oauth]")
{
    for (auto const type : {ClientType::is_public, ClientType::confidential})
        for (auto const* good : {"https://app.example.com", "https://app.example.com/",
                 "https://a.example/cb?x=1", "https://app.example.com:8443/cb", "https://[2001:db8::1]/cb",
                 "https://192.0.2.1/cb", "https://a.example/%C3%A9", "http://127.0.0.1/cb",
                 "http://127.0.0.1:8080/cb", "http://[::1]:3000/cb", "http://localhost:3000/cb"}) {
            INFO(good);
            CHECK(fault_of(good, type) == "");
        }
    for (auto const* good :
        {"com.example.app:/callback", "com.example.app://callback", "com.example.app:callback?x=1"}) {
        INFO(good);
        CHECK(fault_of(good) == "");
        CHECK(fault_of(good, ClientType::confidential) == "scheme");
    }
}

TEST_CASE("redirect URIs with other schemes, fragments, user names and wildcards are refused", "[oauth]")
{
    for (auto const* bad : {"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd",
             "ftp://a.example/", "app:/callback", "http://app.example.com/cb", "http://127.0.0.2/cb",
             "http://localhost.example.com/", "http://app.localhost/cb"}) {
        INFO(bad);
        CHECK(fault_of(bad) == "scheme");
    }
    for (auto const* bad : {"https://user@a.example/", "https://user:pw@a.example/", "https:///cb",
             "https://", "https://*.example.com/", "https://a.example:port/", "https://a.example:/",
             "https://a.example:123456/", "https://[a.example/", "https://%61.example/",
             "http://127.0.0.1:80@a.example/cb"}) {
        INFO(bad);
        CHECK(fault_of(bad) == "host");
    }
    for (auto const* bad : {"", "/cb", "//a.example/cb", "a.example/cb", "HTTPS://a.example/cb", ":cb",
             "1a.b:/cb", "https://a.example/ cb", "https://a.example/\xc3\xa9",
             "https://a.example\\@b.example/", "https://a.example/<x>", "https://a.example/%",
             "https://a.example/%zz", "com.example.app:", "https://a.example/\n"}) {
        INFO(bad);
        CHECK(fault_of(bad) == "format");
    }
    CHECK(fault_of("https://a.example/#") == "fragment");
    CHECK(fault_of("com.example.app:/cb#x") == "fragment");
    std::string const longest = "https://a.example/" + std::string(max_redirect_uri - 18, 'a');
    CHECK(fault_of(longest) == "");
    CHECK(fault_of(longest + 'a') == "format");
}

TEST_CASE("a redirect URI matches only if it is exactly equal", "[oauth]")
{
    std::string const registered = "https://app.example.com/cb";
    CHECK(matches(registered, registered));
    for (auto const* other : {"https://app.example.com/cb/", "https://app.example.com/c",
             "https://app.example.com/cb2", "https://app.example.com/cb?x=1", "https://app.example.com/cb#x",
             "https://app.example.com/cb/../x", "https://app.example.com/%63b",
             "https://app.example.com:443/cb", "https://app.example.com/CB", "https://APP.example.com/cb",
             "http://app.example.com/cb", "https://app.example.com.evil.example/cb",
             "https://app.example.com@evil.example/cb", "https://evil.example/https://app.example.com/cb",
             "https://sub.app.example.com/cb", " https://app.example.com/cb", "https://app.example.com/cb\n",
             ""}) {
        INFO(other);
        CHECK_FALSE(matches(registered, other));
        CHECK_FALSE(matches(registered, other, ClientType::confidential));
    }
    CHECK(matches("com.example.app:/cb", "com.example.app:/cb"));
    CHECK_FALSE(matches("com.example.app:/cb", "com.example.app://cb"));
    CHECK_FALSE(matches("com.example.app:/cb", "com.example.app:/cb2"));
}

TEST_CASE("a loopback redirect URI of a public client matches with any port", "[oauth]")
{
    for (std::string const host : {"127.0.0.1", "[::1]", "localhost"}) {
        INFO(host);
        for (std::string const& registered : {"http://" + host + "/cb", "http://" + host + ":1234/cb"}) {
            for (auto const* port : {"", ":1", ":1234", ":65535"}) {
                CHECK(matches(registered, "http://" + host + port + "/cb"));
                bool const equal = registered == "http://" + host + port + "/cb";
                CHECK(
                    matches(registered, "http://" + host + port + "/cb", ClientType::confidential) == equal);
            }
            for (auto const* end :
                {":1234/cb2", ":1234", ":/cb", ":x/cb", ":1234567/cb", ":1@evil.example/cb",
                    ".evil.example/cb", "@evil.example/cb", ":80/cb?x=1", "\\@evil.example/cb"}) {
                INFO(end);
                CHECK_FALSE(matches(registered, "http://" + host + end));
            }
            CHECK_FALSE(matches(registered, "https://" + host + ":1234/cb"));
        }
    }
    CHECK_FALSE(matches("http://127.0.0.1/cb", "http://localhost/cb"));
    CHECK_FALSE(matches("http://127.0.0.1/cb", "http://[::1]/cb"));
    CHECK_FALSE(matches("https://localhost:1/cb", "https://localhost:2/cb"));
}

TEST_CASE("the built-in clients return to their own hosts, at any port of a local run", "[oauth]")
{
    auto const console =
        built_in_client(console_client, "https://demo.auth.example.com", "https://demo.feedback.example.com");
    CHECK(console.type == ClientType::is_public);
    CHECK(redirect_uri_matches(console, "https://demo.auth.example.com/console/callback"));
    CHECK(post_logout_redirect_uri_matches(console, "https://demo.auth.example.com/console"));
    for (auto const* other : {"https://demo.auth.example.com:8443/console/callback",
             "https://other.auth.example.com/console/callback",
             "https://demo.feedback.example.com/board/callback",
             "http://demo.auth.example.com/console/callback"})
        CHECK_FALSE(redirect_uri_matches(console, other));
    auto const board = built_in_client(board_client, "http://demo-sandbox.auth.localhost:8102",
        "http://demo-sandbox.feedback.localhost:8101");
    for (auto const* port : {":8101", ":18101", ""})
        CHECK(redirect_uri_matches(
            board, "http://demo-sandbox.feedback.localhost" + std::string(port) + "/board/callback"));
    for (auto const* other : {"http://demo.feedback.localhost:8101/board/callback",
             "http://demo-sandbox.feedback.localhost:8101/board/callback2",
             "http://demo-sandbox.auth.localhost:8102/board/callback"})
        CHECK_FALSE(redirect_uri_matches(board, other));
    // Other clients do not get this freedom.
    auto other = board;
    other.id = "app";
    CHECK_FALSE(redirect_uri_matches(other, "http://demo-sandbox.feedback.localhost/board/callback"));
}

TEST_CASE("a client id has 1 to 64 characters that need no escapes in URLs", "[oauth]")
{
    for (auto const& good : {std::string("a"), std::string("App_1.test~x-y"), std::string(64, 'a')})
        CHECK(is_client_id(good));
    for (auto const& bad : {std::string(), std::string(65, 'a'), std::string("a b"), std::string("a/b"),
             std::string("a%20"), std::string("\xc3\xa9"), std::string("a\0b", 3), std::string("a\n")})
        CHECK_FALSE(is_client_id(bad));
    CHECK(is_built_in_client("tetrad-console"));
    CHECK(is_built_in_client("tetrad-board"));
    CHECK_FALSE(is_built_in_client("tetrad-other"));
}
