#include "blobs/credential_sources.hpp"
#include "blobs/s3_credentials.hpp"
#include "core/error.hpp"
#include "support/config.hpp"
#include "support/eventually.hpp"
#include "support/fake_clock.hpp"

#include <catch2/catch.hpp>

#include <atomic>

using namespace std::chrono_literals;
using blobs::CredentialsProvider, blobs::AwsCredentials;
using testing::eventually, testing::Variables;

namespace {

/// A source of credentials controlled by the test.
struct Source {
    AwsCredentials issue()
    {
        ++asked;
        if (!there) throw std::runtime_error("not now");
        AwsCredentials made;
        made.keys.access_key_id = "key " + std::to_string(asked.load());
        made.keys.secret_access_key = core::Secret("secret");
        made.expires = clock.now() + lifetime.load();
        return made;
    }

    CredentialsProvider credentials()
    {
        return {[this](std::stop_token const&) { return issue(); }, clock,
            [this](std::string const&) { ++failures; },
            {.retry_min = 5ms, .retry_max = 20ms, .poll = 5ms, .patience = 30s}};
    }

    testing::FakeClock clock;
    std::atomic<std::chrono::seconds> lifetime = 3600s;
    std::atomic<bool> there = true;
    std::atomic<int> asked = 0;
    std::atomic<int> failures = 0;
};

std::string key_of(CredentialsProvider const& credentials)
{
    return credentials.current()->keys.access_key_id;
}

blobs::CredentialSource read(Variables environment)
{
    auto config = testing::config_of("TEST", std::move(environment));
    auto source = blobs::read_credential_source(config, "eu-central-1", true);
    config.check();
    return source;
}

std::string fault_of(Variables environment)
{
    try {
        read(std::move(environment));
        return "";
    } catch (core::ConfigError const& error) {
        return error.what();
    }
}

Variables operator+(Variables one, Variables const& other)
{
    one.insert(other.begin(), other.end());
    return one;
}

Variables const fixed{{"S3_ACCESS_KEY_ID", "fixed"}, {"S3_SECRET_ACCESS_KEY", "s"}};
Variables const web_identity{
    {"AWS_WEB_IDENTITY_TOKEN_FILE", "/var/run/token"}, {"AWS_ROLE_ARN", "arn:aws:iam::1:role/r"}};
Variables const container{{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials"},
    {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/var/run/agent"}};
Variables const environment{
    {"AWS_ACCESS_KEY_ID", "env"}, {"AWS_SECRET_ACCESS_KEY", "s"}, {"AWS_SESSION_TOKEN", "t"}};

} // namespace

TEST_CASE("credentials are refreshed 20 minutes before they expire, or at half of a shorter lifetime")
{
    using blobs::refresh_time;
    core::Time const now = testing::FakeClock::start;
    CHECK(refresh_time(now, now + 6h, 20min) == now + 6h - 20min);
    CHECK(refresh_time(now, now + 1h, 20min) == now + 40min);
    CHECK(refresh_time(now, now + 30min, 20min) == now + 15min);
    CHECK(refresh_time(now, now + 2min, 20min) == now + 1min);
}

TEST_CASE("credentials are fetched at the start and shortly before they expire, and not in between")
{
    Source source;
    auto const credentials = source.credentials();
    CHECK(credentials.wait()->keys.access_key_id == "key 1");
    CHECK(credentials.remaining() == 3600s);
    source.clock.advance(40min - 1s);
    std::this_thread::sleep_for(50ms); // long enough for ten checks of the clock
    CHECK(source.asked == 1);
    CHECK(key_of(credentials) == "key 1");
    source.clock.advance(1s);
    CHECK(eventually([&] { return key_of(credentials) == "key 2"; }));
    CHECK(source.asked == 2);
    CHECK(credentials.remaining() == 3600s);
}

TEST_CASE("while a refresh fails, credentials stay in use until they expire")
{
    Source source;
    auto const credentials = source.credentials();
    credentials.wait();
    source.there = false;
    source.clock.advance(50min);
    REQUIRE(eventually([&] { return source.failures > 2; })); // the source was queried several times
    CHECK(key_of(credentials) == "key 1");
    CHECK(credentials.remaining() == 10min);
    source.clock.advance(10min);
    CHECK_THROWS_AS(credentials.current(), core::Error);
    CHECK(credentials.remaining() == 0s);
    source.there = true;
    CHECK(eventually([&] { return credentials.remaining() == 3600s; }));
    CHECK(key_of(credentials) != "key 1");
}

TEST_CASE("without credentials calls fail at once, and a worker waits for the first credentials")
{
    Source source;
    source.there = false;
    auto const credentials = source.credentials();
    CHECK_THROWS_AS(credentials.current(), core::Error);
    REQUIRE(eventually([&] { return source.failures > 0; }));
    source.there = true;
    CHECK_FALSE(credentials.wait()->keys.access_key_id.empty());
}

TEST_CASE("credentials that are expired when issued are not used")
{
    Source source;
    source.lifetime = 0s;
    auto const credentials = source.credentials();
    CHECK(eventually([&] { return source.failures > 1; }));
    CHECK_THROWS_AS(credentials.current(), core::Error);
}

TEST_CASE("credentials of a container are parsed, and incomplete credentials are refused")
{
    auto const read = blobs::parse_container_credentials(
        R"({"RoleArn":"arn:aws:iam::1:role/r","AccessKeyId":"ASIA1","SecretAccessKey":"s","Token":"t",
            "Expiration":"2026-01-01T06:00:00Z"})");
    CHECK(read.keys.access_key_id == "ASIA1");
    CHECK(read.keys.secret_access_key.reveal() == "s");
    CHECK(read.keys.session_token.reveal() == "t");
    CHECK(read.expires == testing::FakeClock::start + 6h);
    for (std::string const bad :
        {"", "[]", "{}", "{\"AccessKeyId\":1}", R"({"AccessKeyId":"a","SecretAccessKey":"s","Token":"t"})",
            R"({"AccessKeyId":"a","SecretAccessKey":"s","Token":"t","Expiration":"soon"})",
            R"({"AccessKeyId":"a","SecretAccessKey":"s","Expiration":"2026-01-01T06:00:00Z"})",
            R"({"AccessKeyId":"","SecretAccessKey":"s","Token":"t","Expiration":"2026-01-01T06:00:00Z"})"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(blobs::parse_container_credentials(bad), std::runtime_error);
    }
}

TEST_CASE("a response of STS is parsed, and an incomplete response is refused")
{
    // The example of the AWS Security Token Service API Reference, shortened.
    std::string const answer =
        R"(<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <SubjectFromWebIdentityToken>amzn1.account.AF6RHO7KZU5XRVQJGXK6HB56KR2A</SubjectFromWebIdentityToken>
    <AssumedRoleUser>
      <Arn>arn:aws:sts::123456789012:assumed-role/FederatedWebIdentityRole/app1</Arn>
      <AssumedRoleId>AROACLKWSDQRAOEXAMPLE:app1</AssumedRoleId>
    </AssumedRoleUser>
    <Credentials>
      <SessionToken>AQoDYXdzEE0a8ANXXXXXXXXNO1ewxE5TijQyp+IEXAMPLE</SessionToken>
      <SecretAccessKey>wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY</SecretAccessKey>
      <Expiration>2014-10-24T23:00:23Z</Expiration>
      <AccessKeyId>ASgeIAIOSFODNN7EXAMPLE</AccessKeyId>
    </Credentials>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>ad4156e9-bce1-11e2-82e6-6b6efEXAMPLE</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>)";
    auto const read = blobs::parse_sts_credentials(answer);
    CHECK(read.keys.access_key_id == "ASgeIAIOSFODNN7EXAMPLE");
    CHECK(read.keys.secret_access_key.reveal() == "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY");
    CHECK(read.keys.session_token.reveal() == "AQoDYXdzEE0a8ANXXXXXXXXNO1ewxE5TijQyp+IEXAMPLE");
    CHECK(read.expires == core::parse_rfc3339("2014-10-24T23:00:23Z"));
    auto without = answer;
    without.replace(without.find("<Expiration>"), 12, "<Expirations>");
    for (std::string const& bad : {std::string(), std::string("no XML"), std::string("<a/>"), without,
             answer.substr(0, answer.size() - 10)}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(blobs::parse_sts_credentials(bad), std::runtime_error);
    }
}

TEST_CASE("credentials are requested from the agents of AWS, from loopback, or over https")
{
    using blobs::container_url;
    CHECK(container_url("/v2/credentials/x", "") == "http://169.254.170.2/v2/credentials/x");
    CHECK_FALSE(container_url("@evil.example/x", ""));
    for (std::string const url : {"http://169.254.170.2/x", "http://169.254.170.23/v1/credentials",
             "http://[fd00:ec2::23]/v1/credentials", "http://127.0.0.1:8080/x", "http://localhost/x",
             "http://[::1]/x", "https://credentials.example.com/x"})
        CHECK(container_url("", url) == url);
    for (std::string const url : {"", "http://169.254.169.254/x", "http://169.254.170.24/x",
             "http://credentials.example.com/x", "http://10.0.0.1/x", "ftp://127.0.0.1/x",
             "http://user:pw@127.0.0.1/x", "http://169.254.170.23.example.com/x"}) {
        CAPTURE(url);
        CHECK_FALSE(container_url("", url));
    }
    CHECK(blobs::sts_endpoint("eu-central-1", "") == "https://sts.eu-central-1.amazonaws.com");
    CHECK(blobs::sts_endpoint("cn-north-1", "") == "https://sts.cn-north-1.amazonaws.com.cn");
    CHECK(blobs::sts_endpoint("x", "https://sts.internal") == "https://sts.internal");
    CHECK(blobs::sts_endpoint("x", "http://127.0.0.1:9000") == "http://127.0.0.1:9000");
    CHECK_FALSE(blobs::sts_endpoint("x", "http://sts.internal"));
}

TEST_CASE("the first configured source is used: fixed keys, web identity, container, environment")
{
    auto const id_of = [](blobs::CredentialSource const& source) {
        return std::get<AwsCredentials>(source).keys.access_key_id;
    };
    CHECK(id_of(read(fixed + web_identity + container + environment)) == "fixed");
    auto const role = std::get<blobs::WebIdentitySource>(read(web_identity + container + environment));
    CHECK(role.endpoint == "https://sts.eu-central-1.amazonaws.com");
    CHECK(role.role_arn == "arn:aws:iam::1:role/r");
    CHECK(role.token_file == "/var/run/token");
    CHECK(role.session_name == "tetrad");
    auto const agent = std::get<blobs::ContainerSource>(read(container + environment));
    CHECK(agent.url == "http://169.254.170.23/v1/credentials");
    CHECK(agent.token_file == "/var/run/agent");
    auto const keys = std::get<AwsCredentials>(read(environment)).keys;
    CHECK(keys.access_key_id == "env");
    CHECK(keys.session_token.reveal() == "t");
}

TEST_CASE("S3_CREDENTIALS selects a source, and the variables of this source are required")
{
    auto const choose = [](std::string const& kind) { return Variables{{"S3_CREDENTIALS", kind}}; };
    auto const all = fixed + web_identity + container + environment;
    CHECK(std::holds_alternative<blobs::WebIdentitySource>(read(choose("web-identity") + all)));
    CHECK(std::holds_alternative<blobs::ContainerSource>(read(choose("container") + all)));
    CHECK(std::get<AwsCredentials>(read(choose("environment") + all)).keys.access_key_id == "env");
    CHECK(std::get<AwsCredentials>(read(choose("static") + all)).keys.access_key_id == "fixed");

    auto const says = [&](std::string const& kind, std::string const& name) {
        return fault_of(choose(kind)).find(name) != std::string::npos;
    };
    CHECK(says("web-identity", "AWS_ROLE_ARN"));
    CHECK(says("web-identity", "AWS_WEB_IDENTITY_TOKEN_FILE"));
    CHECK(says("container", "AWS_CONTAINER_CREDENTIALS_FULL_URI"));
    CHECK(says("environment", "AWS_ACCESS_KEY_ID"));
    CHECK(says("static", "S3_SECRET_ACCESS_KEY"));
    CHECK(says("iam", "S3_CREDENTIALS"));
    CHECK(fault_of(web_identity + Variables{{"AWS_ENDPOINT_URL_STS", "http://sts.internal"}})
              .find("AWS_ENDPOINT_URL_STS") != std::string::npos);
}
