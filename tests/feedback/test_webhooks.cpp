#include "receiver.hpp"
#include "silent_hosts.hpp"
#include "support/eventually.hpp"
#include "support/raw_connection.hpp"
#include "support/webhook_tests.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <array>
#include <atomic>
#include <sstream>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::string encode64(std::string_view bytes)
{
    std::string out(4 * ((bytes.size() + 2) / 3), '\0');
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
        reinterpret_cast<unsigned char const*>(bytes.data()), static_cast<int>(bytes.size()));
    return out;
}

std::string decode64(std::string const& text)
{
    std::string out(text.size() / 4 * 3, '\0');
    EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
        reinterpret_cast<unsigned char const*>(text.data()), static_cast<int>(text.size()));
    out.resize(out.size() - static_cast<std::size_t>(std::ranges::count(text, '=')));
    return out;
}

/// The signature of Standard Webhooks 1.0, computed with OpenSSL only.
std::string signature_of(testing::Received const& r, std::string const& secret)
{
    std::string const key = decode64(secret.substr(std::string("whsec_").size()));
    std::string const content =
        r.headers.at("webhook-id") + '.' + r.headers.at("webhook-timestamp") + '.' + r.body;
    std::array<unsigned char, 32> digest{};
    unsigned size = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
        reinterpret_cast<unsigned char const*>(content.data()), content.size(), digest.data(), &size);
    return "v1," + encode64({reinterpret_cast<char const*>(digest.data()), size});
}

struct Hook {
    std::string id, secret;
};

Hook subscribe(testing::HttpClient& client, testing::Receiver const& receiver)
{
    auto const r = client.post("/v1/webhooks", R"({"url":")" + receiver.url("/hook") + "\"}");
    INFO(r.body);
    REQUIRE(r.status == 201);
    return {text(r.json(), "webhookId"), text(r.json(), "secret")};
}

/// The log line of the successful first run of the job with this `ref`; "" if there is none.
std::string job_line(std::string const& log, std::string const& ref)
{
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
        if (line.find("\"message\":\"job\",\"queue\":\"webhooks\"") != std::string::npos &&
            line.find("\"ref\":\"" + ref + "\",\"attempt\":1,\"outcome\":\"done\"") != std::string::npos)
            return line;
    return {};
}

} // namespace

TEST_CASE("a created thread is delivered to the webhook, signed and with the caller's trace")
{
    World world;
    testing::Receiver receiver([](testing::Received const&) { return testing::reply(204); });
    auto client = world.as_backend();
    Hook const hook = subscribe(client, receiver);

    std::string const trace = "0af7651916cd43dd8448eb211c80319c";
    auto const created =
        client.post("/v1/feedbacks", R"({"category":"bug","title":"Grüße","body":"It does not work."})",
            {{"traceparent", "00-" + trace + "-b7ad6b7169203331-01"}});
    REQUIRE(created.status == 201);
    REQUIRE(testing::eventually([&] { return receiver.received().size() == 1; }));

    auto const r = receiver.received().front();
    CHECK(r.method == "POST");
    CHECK(r.target == "/hook");
    CHECK(r.headers.at("webhook-signature") == signature_of(r, hook.secret));
    auto const age = std::chrono::system_clock::now().time_since_epoch() -
                     std::chrono::seconds(std::stoll(r.headers.at("webhook-timestamp")));
    CHECK(age > -5min);
    CHECK(age < 5min);
    auto const event = boost::json::parse(r.body);
    CHECK(event.at("type") == "feedback.created");
    CHECK(event.at("data") == created.json());
    auto const traceparent = r.headers.at("traceparent");
    CHECK(traceparent.starts_with("00-" + trace + "-"));
    CHECK(traceparent.find("b7ad6b7169203331") == std::string::npos);
    CHECK(traceparent.ends_with("-01"));

    std::string const path = "/v1/webhooks/" + hook.id + "/deliveries";
    CHECK(testing::eventually(
        [&] { return text(client.get(path).json().at("items").at(0), "status") == "delivered"; }));
    CHECK(text(client.get(path).json().at("items").at(0), "deliveryId") == r.headers.at("webhook-id"));
    CHECK(world.host->metrics().expose().find(
              "tetrad_webhook_attempts_total{answer=\"2xx\",service=\"feedback\"} 1\n") != std::string::npos);
    // A search for the trace finds the delivery in the log.
    CHECK(testing::eventually([&] {
        return job_line(world.logged(), r.headers.at("webhook-id")).find("\"traceId\":\"" + trace + '"') !=
               std::string::npos;
    }));
}

TEST_CASE("backends can test a webhook of their environment")
{
    World const world;
    testing::check_webhook_tests({.manager = world.as_backend(),
        .user = world.as_user(testing::ada),
        .elsewhere = world.as_backend("other-sandbox")});
    auto const metrics = world.host->metrics().expose();
    for (auto const* line : {"tetrad_webhook_tests_total{answer=\"2xx\",service=\"feedback\"} 1\n",
             "tetrad_webhook_tests_total{answer=\"5xx\",service=\"feedback\"} 1\n",
             "tetrad_webhook_tests_in_flight{service=\"feedback\"} 0\n"})
        CHECK(metrics.find(line) != std::string::npos);
}

TEST_CASE("a test of a webhook goes on if its caller disconnects, and ends when the service stops")
{
    World const world;
    testing::SilentHosts hosts(2);
    auto client = world.as_backend();
    auto const test_of = [&](std::size_t host) {
        auto const made =
            require(201, client.post("/v1/webhooks", testing::body({{"url", hosts.url(host)}})));
        return "/v1/webhooks/" + text(made.json(), "webhookId") + "/test";
    };
    auto const first = test_of(0), second = test_of(1);
    {
        testing::RawConnection caller(world.host->port());
        caller.send("POST " + first +
                    " HTTP/1.1\r\nHost: demo-sandbox.feedback.localhost\r\nAuthorization: Bearer " +
                    world.key() + "\r\nContent-Length: 0\r\n\r\n");
        REQUIRE(testing::eventually([&] { return hosts.in_flight(0) == 1; }));
    }
    auto const refused = client.post(first, "");
    CHECK(refused.status == 429);
    CHECK(refused.header("retry-after") == "1");
    hosts.release();
    CHECK(testing::eventually([&] { return client.post(first, "").status == 200; }));

    testing::SilentHosts const hung(1);
    REQUIRE(client.patch(second.substr(0, second.rfind('/')), testing::body({{"url", hung.url(0)}})).status ==
            200);
    std::jthread const caller([&world, second] {
        auto other = world.as_backend();
        other.post(second, "");
    });
    REQUIRE(testing::eventually([&] { return hung.in_flight(0) == 1; }));
    CHECK(world.host->stop());
}

TEST_CASE("expensive requests of one scope do not block its other requests or other scopes")
{
    World const world;
    auto const key = world.key();
    world.key("other");
    pqxx::connection blocker(world.postgres.superuser_url());
    pqxx::work tx(blocker);
    tx.exec("LOCK TABLE feedbacks IN ACCESS EXCLUSIVE MODE");

    std::vector<std::jthread> waiting;
    std::atomic<int> answered = 0;
    for (std::string const path : {"/v1/feedbacks/stats", "/v1/feedbacks?q=dark"}) {
        waiting.emplace_back([&world, &answered, path] {
            auto client = world.as_backend();
            if (client.get(path).status == 200) ++answered;
        });
    }
    auto client = world.as_backend();
    auto const locks = "SELECT count(*) FROM pg_locks WHERE NOT granted";
    REQUIRE(testing::eventually([&] { return world.postgres.query(locks) == "2"; }));
    for (std::string const path :
        {"/v1/feedbacks/stats", "/v1/feedbacks/export", "/v1/feedbacks?q=dark", "/v1/feedbacks?%71=dark"}) {
        CAPTURE(path);
        auto const r = client.get(path);
        CHECK(r.status == 429);
        CHECK(r.header("retry-after") == "1");
        CHECK(text(r.json(), "error") == "RATE_LIMITED");
    }
    CHECK(client.get("/v1/settings").status == 200);
    CHECK(world.as_backend("other").get("/v1/settings").status == 200);
    tx.abort();
    waiting.clear();
    CHECK(answered == 2);
    CHECK(client.get("/v1/feedbacks/stats").status == 200);
    CHECK(client.get("/v1/feedbacks/export").status == 200);
    CHECK(client.get("/v1/feedbacks/export").status == 200);
    CHECK(client.get("/v1/feedbacks/export").status == 200);
}

TEST_CASE("a hanging receiver does not delay the shutdown, and its delivery is not counted as an attempt")
{
    World const world;
    testing::HeldReceiver held;
    auto client = world.as_backend();
    subscribe(client, held.receiver);
    new_thread(client);
    REQUIRE(testing::eventually([&] { return held.gate.arrived() == 1; }));
    CHECK(world.host->stop());
    CHECK(world.postgres.query(R"(
        SELECT count(*)
        FROM jobs
        WHERE queue = 'webhooks' AND attempts = 0 AND lease_owner IS NULL AND run_at <= now())") == "1");
    CHECK(world.postgres.query("SELECT status || attempts FROM webhook_deliveries") == "pending0");
}

TEST_CASE("upload URLs of a suspended tenant are refused until it is active again")
{
    World const world;
    auto client = world.as_backend("demo");
    auto const presigned = client.post(
        "/v1/attachments/presign", R"({"filename":"a.txt","contentType":"text/plain","sizeBytes":5})");
    REQUIRE(presigned.status == 201);
    std::string const url = text(presigned.json(), "uploadUrl");
    std::string const path = url.substr(url.find("/uploads/"));

    auto master = world.as_master("demo");
    auto const set = [&](std::string const& status) {
        auto const r =
            master.put("/v1/admin/tenants/demo", R"({"displayName":"Demo","status":")" + status + "\"}");
        REQUIRE(r.status == 200);
    };
    set("suspended");
    auto const refused = world.client("demo").put(path, "hello", {{"Content-Type", "text/plain"}});
    CHECK(refused.status == 403);
    CHECK(text(refused.json(), "error") == "TENANT_SUSPENDED");
    set("active");
    CHECK(world.client("demo").put(path, "hello", {{"Content-Type", "text/plain"}}).status == 200);
}
