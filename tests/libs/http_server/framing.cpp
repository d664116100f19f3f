// Valid forms of a request, and forms that are refused because a proxy and the server could read them
// differently.
#include "client.hpp"
#include "http_server/request_parser.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

namespace {

using namespace std::string_literals;

struct Refused {
    char const* name;
    std::string bytes;
    int status = 400;
    char const* code = "BAD_REQUEST";
};

std::string with(std::string const& fields, std::string const& body = {})
{
    return "POST /x HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body;
}

std::string target(std::string const& target, std::string const& method = "GET")
{
    return method + " " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

std::vector<Refused> refused()
{
    std::string fields;
    for (int i = 0; i < 200; ++i)
        fields += "X-" + std::to_string(i) + ": y\r\n";
    return {
        {"length and coding", with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
        {"coding and length", with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")},
        {"two lengths that differ", with("Content-Length: 5\r\nContent-Length: 6\r\n", "hello")},
        {"two equal lengths", with("Content-Length: 5\r\nContent-Length: 5\r\n", "hello")},
        {"two lengths of nothing", with("Content-Length: 0\r\nContent-Length: 0\r\n")},
        {"length as a list", with("Content-Length: 5, 5\r\n", "hello")},
        {"length with a sign", with("Content-Length: +5\r\n", "hello")},
        {"negative length", with("Content-Length: -5\r\n", "hello")},
        {"padded length", with("Content-Length:   5 \r\n", "hello")},
        {"length followed by a space", with("Content-Length: 5 \r\n", "hello")},
        {"hexadecimal length", with("Content-Length: 0x5\r\n", "hello")},
        {"length with a fraction", with("Content-Length: 5.0\r\n", "hello")},
        {"empty length", with("Content-Length:\r\n", "hello")},
        {"length past 64 bits", with("Content-Length: 18446744073709551621\r\n", "hello")},
        {"length in words", with("Content-Length: five\r\n", "hello")},
        {"chunked twice in a list", with("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n")},
        {"chunked twice", with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
        {"chunked and then identity", with("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n")},
        {"identity", with("Transfer-Encoding: identity\r\n")},
        {"xchunked", with("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")},
        {"gzip, chunked", with("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")},
        {"chunked with a parameter", with("Transfer-Encoding: chunked;a=b\r\n", "0\r\n\r\n")},
        {"chunked in quotes", with("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n")},
        {"chunked after a vertical tab", with("Transfer-Encoding: \x0b"
                                              "chunked\r\n",
                                             "0\r\n\r\n")},
        {"empty coding", with("Transfer-Encoding:\r\n", "0\r\n\r\n")},
        {"coding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
        {"no Host", "GET / HTTP/1.1\r\n\r\n"},
        {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"},
        {"two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"},
        {"Host with a space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"},
        {"Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"},
        {"Host with user information", "GET / HTTP/1.1\r\nHost: me@a\r\n\r\n"},
        {"Host as a list", "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n"},
        {"folded field", with("X-A: b\r\n c\r\n")},
        {"folded field with a tab", with("X-A: b\r\n\tc\r\n")},
        {"fold before the value", with("X-A:\r\n b\r\n")},
        {"fold that adds nothing", with("X-A: b\r\n \r\n")},
        {"fold of an empty field", with("X-A:\r\n \r\n")},
        {"folded coding", with("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n")},
        {"first field after a space", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"},
        {"bare CR in a value", with("X-A: b\rc\r\n")},
        {"bare LF in a value", with("X-A: b\nc: d\r\n")},
        {"field ended by LF", "GET / HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n"},
        {"request line ended by LF", "GET / HTTP/1.1\nHost: a\r\n\r\n"},
        {"NUL in a value", with("X-A: b\0c\r\n"s)},
        {"NUL in a name", with("X\0A: b\r\n"s)},
        {"DEL in a value", with("X-A: b\x7f\r\n")},
        {"space before the colon", with("Content-Length : 5\r\n", "hello")},
        {"tab before the colon", with("Transfer-Encoding\t: chunked\r\n", "0\r\n\r\n")},
        {"space in a name", with("X A: b\r\n")},
        {"no name", with(": b\r\n")},
        {"no colon", with("X-A\r\n")},
        {"name in quotes", with("\"X-A\": b\r\n")},
        {"name with an accent", with("X-\xc3\xa9: b\r\n")},
        {"Connection that is no list", with("Connection: a b\r\n")},
        {"absolute target of another host", target("http://b/x")},
        {"absolute target with user information", target("http://a@a/x")},
        {"absolute target without a host", target("http:///x")},
        {"absolute target of another scheme", target("ftp://a/x")},
        {"target without a slash", target("x")},
        {"asterisk for GET", target("*")},
        {"authority for CONNECT", target("a:80", "CONNECT")},
        {"target with a fragment", target("/x#y")},
        {"target that is not ASCII", target("/\xc3\xa9")},
        {"target with a space", target("/x y")},
        {"target with a tab", target("/x\ty")},
        {"two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n"},
        {"HTTP/0.9", "GET /\r\n\r\n"},
        {"HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n"},
        {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n"},
        {"http/1.1", "GET / http/1.1\r\nHost: a\r\n\r\n"},
        {"HTTP/1.10", "GET / HTTP/1.10\r\nHost: a\r\n\r\n"},
        {"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
        {"method in brackets", target("/", "<GET>")},
        {"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"s},
        {"target of more than 8 KiB", target("/" + std::string(8192, 'x')), 414, "URI_TOO_LONG"},
        {"request line without an end", "GET /" + std::string(9000, 'x'), 414, "URI_TOO_LONG"},
        {"head of more than 16 KiB", with("X-A: " + std::string(16 * 1024, 'x') + "\r\n"), 431,
            "HEADERS_TOO_LARGE"},
        {"head without an end", "GET / HTTP/1.1\r\nX-A: " + std::string(16 * 1024, 'x'), 431,
            "HEADERS_TOO_LARGE"},
        {"too many fields", with(fields), 431, "HEADERS_TOO_LARGE"},
    };
}

struct Accepted {
    char const* name;
    std::string bytes;
    char const* answer;
};

std::vector<Accepted> accepted()
{
    return {
        {"plain", "GET /a?b=c HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a?b=c "},
        {"no space after the colon", "GET /a HTTP/1.1\r\nHost:a\r\nX:y\r\n\r\n", "GET /a "},
        {"empty lines in front", "\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a "},
        {"length", with("Content-Length: 5\r\n", "hello"), "POST /x hello"},
        {"length with zeros", with("content-length: 0005\r\n", "hello"), "POST /x hello"},
        {"neither length nor coding", with(""), "POST /x "},
        {"chunks", with("Transfer-Encoding: chunked\r\n", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"),
            "POST /x hello"},
        {"CHUNKED", with("TRANSFER-ENCODING: CHUNKED\r\n", "5\r\nhello\r\n0\r\n\r\n"), "POST /x hello"},
        {"chunk extensions",
            with("Transfer-Encoding: chunked\r\n", "5;a=b;c=\"d;e\"\r\nhello\r\n0;f\r\n\r\n"),
            "POST /x hello"},
        {"trailers", with("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\nX-Sum: 1\r\nHost: b\r\n\r\n"),
            "POST /x hello"},
        {"chunk size with zeros", with("Transfer-Encoding: chunked\r\n", "005\r\nhello\r\n000\r\n\r\n"),
            "POST /x hello"},
        {"absolute target", target("http://a/x?y"), "GET /x?y "},
        {"absolute target in capitals", target("HTTP://A/x"), "GET /x "},
        {"absolute target without a path", target("http://a"), "GET / "},
        {"absolute target with a query only", target("http://a?q"), "GET /?q "},
        {"asterisk", target("*", "OPTIONS"), "OPTIONS * "},
        {"method of our own", target("/x", "PURGE"), "PURGE /x "},
        {"Host with a port", "GET /x HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "GET /x "},
        {"text beyond ASCII in a value", with("X-A: \xc3\xa9\r\n"), "POST /x "},
        {"empty value", with("X-A:\r\nX-B: \r\n"), "POST /x "},
        {"target of 8 KiB", target("/" + std::string(8191, 'x')), nullptr},
    };
}

struct BadBody {
    char const* name;
    std::string body;
};

std::vector<BadBody> bad_bodies()
{
    std::string many;
    for (int i = 0; i < 10; ++i)
        many += "1;" + std::string(4000, 'x') + "\r\na\r\n";
    return {
        {"size that is no number", "x\r\nhello\r\n0\r\n\r\n"},
        {"size with a sign", "+5\r\nhello\r\n0\r\n\r\n"},
        {"size with 0x", "0x5\r\nhello\r\n0\r\n\r\n"},
        {"negative size", "-5\r\nhello\r\n0\r\n\r\n"},
        {"size past 64 bits", "10000000000000005\r\nhello\r\n0\r\n\r\n"},
        {"size after a space", " 5\r\nhello\r\n0\r\n\r\n"},
        {"size ended by LF", "5\nhello\r\n0\r\n\r\n"},
        {"no size", "\r\nhello\r\n0\r\n\r\n"},
        {"chunk longer than its size", "4\r\nhello\r\n0\r\n\r\n"},
        {"chunk shorter than its size", "6\r\nhello\r\n0\r\n\r\n"},
        {"size line without an end", std::string(70'000, '0')},
        {"endless trailers", "0\r\n" + std::string(70'000, 'x')},
        {"size line of more than 1 KiB", std::string(1024, '0') + "5\r\nhello\r\n0\r\n\r\n"},
        {"extension of more than 1 KiB", "5;" + std::string(1024, 'x') + "\r\nhello\r\n0\r\n\r\n"},
        {"trailers of more than 1 KiB", "0\r\nX: " + std::string(1024, 'x') + "\r\n\r\n"},
        {"malformed extension", "5;=\r\nhello\r\n0\r\n\r\n"},
        {"bare CR in an extension", "5;a\rb\r\nhello\r\n0\r\n\r\n"},
        {"extensions without end", many},
        {"length in the trailers", "0\r\nContent-Length: 5\r\n\r\n"},
        {"malformed trailer", "0\r\nX A: b\r\n\r\n"},
    };
}

} // namespace

TEST_CASE("a request that can be read in two ways is refused and ends the connection")
{
    test::Server server;
    for (auto const& [name, bytes, status, code] : refused()) {
        INFO(name);
        auto client = server.connect();
        // The bytes after the refused request must never be handled as another request.
        bool const endless = std::string_view(name).ends_with("without an end");
        client.send(endless ? bytes : bytes + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
        auto const answer = client.read();
        CHECK(answer.status == status);
        CHECK(answer.header("connection") == "close");
        CHECK(answer.header("content-type") == "application/problem+json");
        CHECK(answer.body.find("smuggled") == std::string::npos);
        auto const problem = boost::json::parse(answer.body.empty() ? "{}" : answer.body);
        CHECK(problem.at("error").as_string() == code);
        CHECK(problem.at("status").as_int64() == status);
        CHECK(problem.at("requestId").as_string().size() == 16);
        CHECK(client.ends());
        REQUIRE_FALSE(server.protocol_errors().empty());
        CHECK(server.protocol_errors().back() == code);
    }
    CHECK(server.protocol_errors().size() == refused().size());
}

TEST_CASE("a request has the same meaning for every division into pieces")
{
    test::Server server;
    for (auto const& [name, bytes, expected] : accepted()) {
        INFO(name);
        auto client = server.connect();
        client.send(bytes);
        auto const answer = client.read();
        CHECK(answer.status == 200);
        if (!expected) continue;
        CHECK(answer.body == expected);
        for (char const byte : bytes) {
            client.send({&byte, 1});
            std::this_thread::sleep_for(std::chrono::microseconds(50)); // so that the byte is sent separately
        }
        CHECK(client.read().body == expected);
    }
}

TEST_CASE("malformed chunks are refused and end the connection")
{
    test::Server server;
    for (auto const& [name, body] : bad_bodies()) {
        INFO(name);
        auto client = server.connect();
        client.send(
            with("Transfer-Encoding: chunked\r\n", body) + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
        auto const answer = client.read();
        CHECK(answer.status == 400);
        CHECK(answer.header("connection") == "close");
        CHECK(client.ends());
    }
}

TEST_CASE("a size line of a chunk that is too long is refused before it ends")
{
    test::Server server;
    std::string const longest(http_server::RequestParser::chunk_line_limit - 2, 'x');
    auto client = server.connect();
    client.send(with("Transfer-Encoding: chunked\r\n", "5;" + longest + 'x'));
    auto const answer = client.read(); // the line has no end
    CHECK(answer.status == 400);
    CHECK(answer.header("connection") == "close");
    CHECK(client.ends());
}
