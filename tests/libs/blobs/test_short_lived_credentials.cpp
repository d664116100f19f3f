#include "blobs/credential_sources.hpp"
#include "blobs/s3_store.hpp"
#include "core/error.hpp"
#include "s3_server.hpp"
#include "support/fake_clock.hpp"
#include "support/file.hpp"
#include "support/run_awaitable.hpp"

#include <filesystem>
#include <mutex>
#include <optional>

// S3 with short-lived keys, issued by the endpoints of a container and of a Kubernetes service account.

using namespace std::chrono_literals;
using blobs_test::S3Server;
using testing::eventually, testing::run_awaitable;

namespace {

constexpr char const* role = "arn:aws:iam::123456789012:role/app";

/// A store with credentials from an endpoint. The endpoint's token is in a file.
struct Fixture {
    explicit Fixture(bool web_identity = false) : by_web_identity(web_identity) { give_token("first token"); }

    /// Writes a new token, and informs the endpoint.
    void give_token(std::string const& text, boost::json::object behaviour = {})
    {
        testing::write_file(token, text + "\n"); // an agent may end the file with a newline
        behaviour["token"] = text;
        server.set(behaviour);
    }

    blobs::CredentialsProvider::Fetch fetch()
    {
        if (by_web_identity)
            return blobs::from_web_identity(outbound, {server.issuer, role, "a-test", token});
        return blobs::from_container(outbound, {server.issuer + "/credentials", token, {}});
    }

    void begin(std::chrono::seconds ahead = 20min)
    {
        auto const on_failure = [this](std::string const& what) {
            std::lock_guard const lock(mutex);
            failures.push_back(what);
        };
        credentials = std::make_shared<blobs::CredentialsProvider const>(fetch(), clock, on_failure,
            blobs::RefreshOptions{
                .ahead = ahead, .retry_min = 50ms, .retry_max = 200ms, .poll = 20ms, .patience = 30s});
        store.emplace(blobs::S3Options{server.endpoint, "attachments", "eu-central-1", credentials}, outbound,
            clock, 1U);
    }

    std::string failure()
    {
        std::lock_guard const lock(mutex);
        return failures.empty() ? "" : failures.back();
    }

    /// Uploads a file with a presigned URL. Returns whether the store then finds the upload, as the service
    /// does.
    bool works()
    {
        blobs::Key const key{core::ScopeId{7}, core::Uuid::v7(), {}};
        auto const url = store->upload_url({key, 5, "text/plain", clock.now() + 15min}, "");
        auto const put =
            s3.put(url.substr(server.endpoint.size()), "hello", {{"Content-Type", "text/plain"}});
        if (put.status != 200) return false;
        auto const stat = run_awaitable(store->stat(key));
        return stat && stat->content.head == "hello" &&
               run_awaitable(store->finalize(key, *stat)).has_value();
    }

    std::string key_id() const { return credentials->wait()->keys.access_key_id; }

    S3Server server;
    bool by_web_identity;
    std::string token = server.folder.path() + "/token";
    core::Time const start = core::SystemClock().now(); ///< the server has only the system clock
    testing::FakeClock clock{start};
    http_client::Client outbound{{.addresses = http_client::AddressPolicy(true)}};
    testing::HttpClient s3{server.endpoint};
    std::mutex mutex;
    std::vector<std::string> failures;
    std::shared_ptr<blobs::CredentialsProvider const> credentials;
    std::optional<blobs::S3Store> store;
};

} // namespace

TEST_CASE("AWS's own credential providers get keys from the same endpoints, and the store accepts the keys")
{
    Fixture f;
    boost::json::object const input{{"issuer", f.server.issuer}, {"endpoint", f.server.endpoint},
        {"token", f.server.folder.path() + "/plain"}};
    testing::write_file(
        f.server.folder.path() + "/plain", "first token"); // AWS's providers do not trim the token
    testing::write_file(f.server.folder.path() + "/input.json", boost::json::serialize(input));
    auto const output = testing::output_of(
        {"node", NPM_FOLDER "/sdk_credentials.mjs", f.server.folder.path() + "/input.json"}, 2min);
    INFO(output);
    CHECK(output.find("container ASIA") != std::string::npos);
    CHECK(output.find("web-identity ASIA") != std::string::npos);
}

TEST_CASE("attachments are stored with the credentials of a container and of a role")
{
    bool const by_web_identity = GENERATE(false, true);
    CAPTURE(by_web_identity);
    Fixture f(by_web_identity);
    f.begin();
    CHECK(f.key_id().starts_with("ASIA"));
    CHECK(f.works());
    CHECK(f.server.seen().at("issued") == 1);
    CHECK(f.failure().empty());
}

TEST_CASE("keys are replaced before they expire, with the current token of the file")
{
    bool const by_web_identity = GENERATE(false, true);
    CAPTURE(by_web_identity);
    Fixture f(by_web_identity);
    f.begin();
    auto const first = f.key_id();
    f.give_token("second token");
    f.clock.advance(41min);
    REQUIRE(eventually([&] { return f.key_id() != first; }));
    f.clock.set(f.start);
    CHECK(f.works());
    CHECK(f.failure().empty());
}

TEST_CASE("a failing endpoint is queried again, and the failure is reported")
{
    bool const by_web_identity = GENERATE(false, true);
    CAPTURE(by_web_identity);
    Fixture f(by_web_identity);
    f.server.set({{"token", "first token"}, {"status", 500}});
    f.begin();
    REQUIRE(eventually([&] { return f.server.seen().at("asked").as_int64() > 2; }));
    CHECK_THROWS_AS(
        f.store->upload_url(
            {{core::ScopeId{7}, core::Uuid::v7(), {}}, 5, "text/plain", f.clock.now() + 15min}, ""),
        core::Error);
    CHECK(f.failure().find("500") != std::string::npos);
    f.server.set({{"token", "another token"}});
    auto const refusal = by_web_identity ? "STS answered 400 InvalidIdentityToken" : "answered 401";
    CHECK(eventually([&] { return f.failure().find(refusal) != std::string::npos; }));
    CHECK(f.failure().find("first token") == std::string::npos);
    f.give_token("first token");
    CHECK(eventually([&] { return f.credentials->remaining() > 0s; }));
    CHECK(f.works());
}

TEST_CASE("a presigned URL expires with the credentials that signed it")
{
    Fixture f;
    f.give_token("first token", {{"lifetime", 120}});
    f.begin(0s);
    f.credentials->wait();
    auto const url = f.store->upload_url(
        {{core::ScopeId{7}, core::Uuid::v7(), {}}, 5, "text/plain", f.clock.now() + 15min}, "");
    auto const at = url.find("X-Amz-Expires=") + 14;
    auto const lifetime = std::stoi(url.substr(at));
    CHECK(lifetime > 0);
    CHECK(lifetime <= 120);
    CHECK(url.find("X-Amz-Security-Token=") != std::string::npos);

    f.give_token("first token", {{"lifetime", 3600}});
    Fixture long_lived;
    long_lived.begin();
    long_lived.credentials->wait();
    auto const whole = long_lived.store->upload_url(
        {{core::ScopeId{7}, core::Uuid::v7(), {}}, 5, "text/plain", long_lived.clock.now() + 15min}, "");
    CHECK(whole.find("X-Amz-Expires=900&") != std::string::npos);
}

TEST_CASE("a token file that is missing, empty or has several lines is refused")
{
    Fixture f;
    auto const fetch = f.fetch();
    CHECK_NOTHROW(fetch({}));
    for (std::string const bad : {"", "\n", "two\nlines\n"}) {
        testing::write_file(f.token, bad);
        CHECK_THROWS_WITH(fetch({}), Catch::Contains("token file"));
    }
    std::filesystem::remove(f.token);
    CHECK_THROWS_WITH(fetch({}), Catch::Contains("cannot be read"));
}
