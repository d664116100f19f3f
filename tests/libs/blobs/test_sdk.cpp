#include "blobs/content_disposition.hpp"
#include "blobs/s3_store.hpp"
#include "s3_server.hpp"
#include "support/fake_clock.hpp"
#include "support/process.hpp"

#include <fstream>
#include <sstream>

namespace {

struct Example {
    std::string endpoint, region, bucket, filename, type;
    core::ScopeId scope_id;
    std::int64_t size;
    std::string session_token = {};
};

} // namespace

TEST_CASE("presigned URLs equal the URLs of AWS's own SDK, byte for byte")
{
    std::vector<Example> const examples{
        {"http://127.0.0.1:9000", "eu-central-1", "attachments", "plain.png", "image/png", core::ScopeId{14},
            1},
        {"http://localhost", "us-east-1", "a-bucket", "na\u00efve \u20ac (1) 'x' *.pdf", "application/pdf",
            core::ScopeId{15}, 26'214'400},
        {"https://s3.example.com:8443/", "eu-west-1", "b0b", "a&b=c+d%20;\"e\".csv", "text/csv",
            core::ScopeId{9'007'199'254'740'993}, 4711},
        {"https://s3.example.com:443", "eu-west-1", "b0b", "x", "text/plain", core::ScopeId{2}, 2},
        {"", "eu-west-1", "attachments", "\u5199\u771f.zip", "application/zip", core::ScopeId{15}, 1'000'000},
        {"", "us-east-1", "attachments", "~!#$&+-.^_`|.gz", "application/gzip", core::ScopeId{3}, 7},
        {"", "cn-north-1", "attachments", "x.zip", "application/zip", core::ScopeId{3}, 7},
        {"http://127.0.0.1:9000", "eu-central-1", "b0b", "y.zip", "application/zip", core::ScopeId{3}, 7,
            "IQoJb3JpZ2luX2VjEPT//////////wEaDGV1LWNlbnRyYWwtMSJHMEUCIQ+/=="},
        {"", "eu-central-1", "b0b", "z.zip", "application/zip", core::ScopeId{3}, 7, "AQoDYXdzEJr1K+/=="},
    };
    core::Time const now = *core::parse_rfc3339("2026-02-03T04:05:06Z");
    testing::FakeClock const clock(now);
    http_client::Client client({.addresses = http_client::AddressPolicy(true)});

    std::vector<std::string> ours;
    boost::json::array inputs;
    for (Example const& e : examples) {
        core::Secret const secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
        blobs::S3Store store(
            {e.endpoint, e.bucket, e.region,
                blobs_test::fixed_keys("AKIAIOSFODNN7EXAMPLE", secret.reveal(), e.session_token)},
            client, clock, 1);
        blobs::Key const uploaded{e.scope_id, core::Uuid::v7(), {}};
        blobs::Key const kept{e.scope_id, uploaded.attachment_id, "0aZ9"};
        boost::json::object common{{"endpoint", e.endpoint}, {"region", e.region}, {"bucket", e.bucket},
            {"accessKeyId", "AKIAIOSFODNN7EXAMPLE"}, {"secretAccessKey", secret.reveal()},
            {"sessionToken", e.session_token}, {"signingDate", "2026-02-03T04:05:06Z"}};

        ours.push_back(
            store.upload_url({uploaded, e.size, e.type, now + std::chrono::minutes(15)}, "http://unused"));
        auto put = common;
        put.insert({{"operation", "put"}, {"key", uploaded.name()}, {"expiresIn", 900},
            {"contentLength", e.size}, {"contentType", e.type}});
        inputs.push_back(put);

        ours.push_back(store.download_url(
            {kept, e.size, e.type, e.filename, now + std::chrono::minutes(5)}, "http://unused"));
        auto get = common;
        get.insert({{"operation", "get"}, {"key", kept.name()}, {"expiresIn", 300},
            {"contentDisposition", blobs::content_disposition(e.filename)}});
        inputs.push_back(get);
    }

    testing::TemporaryDirectory const folder("blobs-sdk");
    std::ofstream(folder.path() + "/inputs.json") << boost::json::serialize(inputs);
    std::string const output = testing::output_of(
        {"node", NPM_FOLDER "/sdk_check.mjs", folder.path() + "/inputs.json"}, std::chrono::minutes(1));
    INFO(output);
    std::istringstream lines(output);
    for (std::string const& url : ours) {
        std::string theirs;
        REQUIRE(std::getline(lines, theirs));
        CHECK(url == theirs);
    }
}

TEST_CASE("an S3 store needs all its settings")
{
    testing::FakeClock const clock;
    http_client::Client client({});
    auto const make = [&](blobs::S3Options options) { blobs::S3Store(std::move(options), client, clock, 1); };
    auto const keys = blobs_test::fixed_keys("id", "secret");
    CHECK_NOTHROW(make({"http://127.0.0.1:9000", "b", "eu-west-1", keys}));
    CHECK_NOTHROW(make({"", "b", "eu-west-1", keys}));
    auto const endpoint =
        GENERATE("127.0.0.1:9000", "ftp://x", "http://user:pw@x", "http://x/path", "http://x?y");
    CHECK_THROWS_AS(make({endpoint, "b", "eu-west-1", keys}), std::invalid_argument);
    CHECK_THROWS_AS(make({"", "", "eu-west-1", keys}), std::invalid_argument);
    CHECK_THROWS_AS(make({"", "b", "", keys}), std::invalid_argument);
    CHECK_THROWS_AS(make({"", "b", "eu-west-1", nullptr}), std::invalid_argument);
}
