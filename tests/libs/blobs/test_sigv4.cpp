#include "blobs/sigv4.hpp"

#include <algorithm>

// The examples of "Authenticating Requests (AWS Signature Version 4)" in the Amazon S3 API reference.
namespace {

namespace sigv4 = blobs::sigv4;

constexpr std::string_view empty_hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr std::string_view host = "examplebucket.s3.amazonaws.com";

sigv4::Credentials const credentials{
    "AKIAIOSFODNN7EXAMPLE", core::Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), "us-east-1"};

core::Time now()
{
    return *core::parse_rfc3339("2013-05-24T00:00:00Z");
}

std::string authorization(sigv4::Request const& request, std::string_view hash)
{
    auto const added = sigv4::sign(credentials, request, hash, now());
    return std::ranges::find(added, "authorization", &sigv4::Pairs::value_type::first)->second;
}

std::string expected(std::string_view signed_headers, std::string_view signature)
{
    return "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
           "SignedHeaders=" +
           std::string(signed_headers) + ", Signature=" + std::string(signature);
}

} // namespace

TEST_CASE("AWS's example of a presigned GET matches")
{
    std::string const address = sigv4::presign(credentials, {"GET", std::string(host), "/test.txt", {}, {}},
        sigv4::unsigned_payload, now(), std::chrono::seconds(86400));
    CHECK(address == "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                     "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                     "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400"
                     "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
                     "&X-Amz-SignedHeaders=host");
}

TEST_CASE("AWS's example of GET Object matches")
{
    sigv4::Request const request{"GET", std::string(host), "/test.txt", {}, {{"range", "bytes=0-9"}}};
    CHECK(authorization(request, empty_hash) ==
          expected("host;range;x-amz-content-sha256;x-amz-date",
              "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
}

TEST_CASE("AWS's example of PUT Object matches")
{
    sigv4::Request const request{"PUT", std::string(host), "/test$file.text", {},
        {{"date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}}};
    CHECK(authorization(request, "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072") ==
          expected("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
              "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST_CASE("AWS's example of GET Bucket Lifecycle matches")
{
    sigv4::Request const request{"GET", std::string(host), "/", {{"lifecycle", ""}}, {}};
    CHECK(authorization(request, empty_hash) ==
          expected("host;x-amz-content-sha256;x-amz-date",
              "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST_CASE("AWS's example of a list of objects matches")
{
    sigv4::Request const request{"GET", std::string(host), "/", {{"prefix", "J"}, {"max-keys", "2"}}, {}};
    CHECK(authorization(request, empty_hash) ==
          expected("host;x-amz-content-sha256;x-amz-date",
              "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST_CASE("all characters except unreserved characters are percent-encoded")
{
    sigv4::Request const request{
        "GET", std::string(host), "/a b/AZaz09-._~", {{"q", "a b/c+d*e'f\u00e9"}}, {}};
    CHECK(sigv4::target(request) == "/a%20b/AZaz09-._~?q=a%20b%2Fc%2Bd%2Ae%27f%C3%A9");
}

TEST_CASE("a session token is a signed header or a signed parameter")
{
    auto short_lived = credentials;
    short_lived.session_token = core::Secret("a/token+of=STS");
    sigv4::Request const request{"GET", std::string(host), "/test.txt", {}, {}};
    auto const added = sigv4::sign(short_lived, request, empty_hash, now());
    auto const value = [&](std::string_view name) {
        return std::ranges::find(added, name, &sigv4::Pairs::value_type::first)->second;
    };
    CHECK(value("x-amz-security-token") == "a/token+of=STS");
    CHECK(value("authorization")
              .find("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,") !=
          std::string::npos);
    auto const address =
        sigv4::presign(short_lived, request, sigv4::unsigned_payload, now(), std::chrono::seconds(60));
    CHECK(address.find("&X-Amz-Security-Token=a%2Ftoken%2Bof%3DSTS&") != std::string::npos);
}
