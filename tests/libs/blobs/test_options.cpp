#include "blobs/options.hpp"
#include "support/config.hpp"
#include "support/fake_clock.hpp"
#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace {

blobs::Options read(testing::Variables environment)
{
    auto config = testing::config_of("TEST", std::move(environment));
    auto options = blobs::Options::read(config);
    config.check();
    return options;
}

/// The names of the invalid variables, one per line.
std::string faults(testing::Variables environment)
{
    auto config = testing::config_of("TEST", std::move(environment));
    blobs::Options::read(config);
    return testing::faults_of(config);
}

bool names(std::string const& text, std::initializer_list<std::string_view> variables)
{
    return std::ranges::all_of(
        variables, [&](std::string_view name) { return text.find(name) != std::string::npos; });
}

} // namespace

TEST_CASE("the local store is the default and requires a directory")
{
    CHECK(names(faults({}), {"BLOB_DIR"}));
    auto const options = read({{"BLOB_DIR", "/srv/blobs"}});
    CHECK_FALSE(options.s3);
    CHECK(options.dir == "/srv/blobs");
    CHECK(options.public_scheme == "http");
    CHECK(options.attachments().max_unattached_bytes == std::int64_t{1} << 30);
    CHECK(options.attachments().max_unattached_bytes_per_user == (std::int64_t{1} << 30) / 10);
}

TEST_CASE("S3 requires a bucket and a key, and no settings of the local store")
{
    auto const lacking = faults({{"BLOB_STORE", "s3"}});
    CHECK(names(lacking, {"S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"}));
    CHECK_FALSE(names(lacking, {"BLOB_DIR"}));
    auto const options = read({{"BLOB_STORE", "s3"}, {"S3_BUCKET", "b"}, {"S3_ACCESS_KEY_ID", "id"},
        {"S3_SECRET_ACCESS_KEY", "secret"}, {"S3_ENDPOINT", "http://127.0.0.1:9000"}});
    CHECK(options.s3);
    CHECK(options.s3_bucket == "b");
    CHECK(options.s3_region == "us-east-1");
    auto const& keys = std::get<blobs::AwsCredentials>(options.s3_credentials).keys;
    CHECK(keys.access_key_id == "id");
    CHECK(keys.secret_access_key.reveal() == "secret");
    CHECK(keys.session_token.empty());
    CHECK(options.s3_endpoint == "http://127.0.0.1:9000");
}

TEST_CASE("unknown values of settings are errors")
{
    CHECK(names(faults({{"BLOB_DIR", "/x"}, {"BLOB_STORE", "tape"}, {"PUBLIC_SCHEME", "ftp"},
                    {"BLOB_UNATTACHED_LIMIT", "26214399"}, {"BLOB_UNATTACHED_LIMIT_PER_USER", "1"}}),
        {"BLOB_STORE", "PUBLIC_SCHEME", "BLOB_UNATTACHED_LIMIT", "BLOB_UNATTACHED_LIMIT_PER_USER"}));
}

TEST_CASE("URLs have the configured scheme, and the configured limit applies")
{
    auto const options =
        read({{"BLOB_DIR", "/x"}, {"PUBLIC_SCHEME", "https"}, {"BLOB_UNATTACHED_LIMIT", "26214400"}});
    CHECK(options.attachments().max_unattached_bytes == 26'214'400);
    // A user may always have one file of the maximum size.
    CHECK(options.attachments().max_unattached_bytes_per_user == 26'214'400);
    auto const larger = read({{"BLOB_DIR", "/x"}, {"BLOB_UNATTACHED_LIMIT_PER_USER", "26214401"}});
    CHECK(larger.attachments().max_unattached_bytes_per_user == 26'214'401);
    http::Request request;
    request.headers.push_back({"Host", "demo.example.com"});
    CHECK(options.attachments().origin(request) == "https://demo.example.com");
}

TEST_CASE("the configured store is used")
{
    testing::TemporaryDirectory const directory;
    testing::FakeClock const clock;
    http_client::Client client({.addresses = http_client::AddressPolicy(true)});
    auto const keyring = crypto::Keyring::parse("test:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    observe::Logger logger("test", observe::Level::off);
    observe::Metrics metrics("test");
    blobs::StoreDeps const deps{keyring, client, clock, logger, metrics};
    auto const local = blobs::make_store(read({{"BLOB_DIR", directory.path() + "/blobs"}}), deps);
    CHECK(local->local() != nullptr);
    CHECK(local->direct_uploads() == nullptr);
    auto const s3 =
        blobs::make_store(read({{"BLOB_STORE", "s3"}, {"S3_BUCKET", "b"}, {"S3_ACCESS_KEY_ID", "id"},
                              {"S3_SECRET_ACCESS_KEY", "secret"}, {"S3_ENDPOINT", "http://127.0.0.1:9000"}}),
            deps);
    CHECK(s3->local() == nullptr);
    CHECK(s3->direct_uploads() != nullptr);
    auto const url = s3->upload_url({.key = {core::ScopeId{2}, core::Uuid(), {}},
                                        .size_bytes = 1,
                                        .content_type = "text/plain",
                                        .expires = clock.now() + std::chrono::minutes(15)},
        "");
    CHECK(url.starts_with("http://127.0.0.1:9000/b/2/"));
}
