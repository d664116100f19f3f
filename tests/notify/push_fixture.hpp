#pragma once

#include "http_client/client.hpp"
#include "observe/log.hpp"
#include "providers/push_sender.hpp"
#include "push_server.hpp"
#include "support/fake_clock.hpp"
#include "support/json.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

/// Helpers for tests of PushSender with servers that use FCM's and APNs' protocols (node/fcm.mjs,
/// node/apns.mjs).
namespace push_test {

using namespace notify;
using namespace std::chrono_literals;
using testing::eventually, testing::text;
namespace json = boost::json;

/// A private key in PEM and its public half.
struct KeyPair {
    explicit KeyPair(std::vector<std::string> algorithm)
    {
        testing::TemporaryDirectory const folder("push-keys");
        std::string const file = folder.path() + "/key.pem";
        std::vector<std::string> make{"openssl", "genpkey", "-out", file};
        make.insert(make.end(), algorithm.begin(), algorithm.end());
        testing::output_of(make, 1min);
        private_pem = testing::output_of({"openssl", "pkey", "-in", file}, 1min);
        public_pem = testing::output_of({"openssl", "pkey", "-in", file, "-pubout"}, 1min);
    }

    std::string private_pem, public_pem;
};

inline KeyPair const& rsa()
{
    static KeyPair const pair({"-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"});
    return pair;
}

inline KeyPair const& p256()
{
    static KeyPair const pair({"-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"});
    return pair;
}

inline Credential::Ptr fcm_credential(
    std::string const& project = "demo-project", std::string const& key_id = "key-1")
{
    json::object const key{{"type", "service_account"}, {"project_id", project}, {"private_key_id", key_id},
        {"private_key", rsa().private_pem}, {"client_email", "push@" + project + ".iam.gserviceaccount.com"}};
    return Credential::parse(Carrier::fcm, json::object{{"serviceAccountKey", key}});
}

inline Credential::Ptr apns_credential(std::string const& key_id = "ABCDE12345")
{
    return Credential::parse(Carrier::apns,
        json::object{{"keyId", key_id}, {"teamId", "TEAM123456"}, {"privateKey", p256().private_pem},
            {"bundleId", "com.example.demo"}, {"environment", "sandbox"}});
}

/// Options for tests that limit the streams of a server: the client opens no further connections.
inline PushOptions one_connection(std::chrono::milliseconds response_timeout = 10s)
{
    PushOptions options;
    options.max_connections = 1;
    options.response_timeout = response_timeout;
    return options;
}

/// A batch for devices of one credential, and a future for its results.
struct Handed {
    Handed(Credential::Ptr credential, SharedPush push, std::vector<PushTarget> targets,
        std::chrono::milliseconds send_timeout = 1min)
    {
        batch->credential = std::move(credential);
        batch->push = std::move(push);
        batch->targets = std::move(targets);
        batch->deadline = std::chrono::steady_clock::now() + send_timeout;
        auto const promise = std::make_shared<std::promise<std::vector<PushResult>>>();
        results = promise->get_future();
        batch->done = [promise](
                          std::unique_ptr<PushBatch> done) { promise->set_value(std::move(done->results)); };
    }

    std::unique_ptr<PushBatch> batch = std::make_unique<PushBatch>();
    std::future<std::vector<PushResult>> results;
};

/// The properties of the batches that `send_all` makes.
struct SendOptions {
    std::chrono::milliseconds send_timeout = 30s;
    core::Time stored_at{}; ///< of the credentials
    std::stop_token stop{};
    /// Of the credential, for `send_with`. By default, each credential has a tenant of its own.
    std::optional<core::TenantId> tenant{};
};

/// Sends one batch per credential, with the targets of its carrier, and waits for the results. Returns them
/// in the order of `targets`.
inline std::vector<PushResult> send_all(PushSender& push, std::vector<Credential::Ptr> const& credentials,
    SharedPush const& message, std::vector<PushTarget> const& targets, SendOptions const& options = {})
{
    std::vector<PushResult> results(targets.size());
    std::vector<std::pair<std::vector<std::size_t>, std::future<std::vector<PushResult>>>> sent;
    sent.reserve(credentials.size());
    for (auto const& credential : credentials) {
        std::vector<std::size_t> places;
        std::vector<PushTarget> own;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (targets[i].carrier != credential->carrier()) continue;
            places.push_back(i);
            own.push_back(targets[i]);
        }
        Handed handed(credential, message, std::move(own), options.send_timeout);
        handed.batch->stored_at = options.stored_at;
        handed.batch->stop = options.stop;
        push.send(std::move(handed.batch));
        sent.emplace_back(std::move(places), std::move(handed.results));
    }
    for (auto& [places, future] : sent) {
        auto answers = future.get();
        for (std::size_t i = 0; i < places.size(); ++i)
            results[places[i]] = std::move(answers[i]);
    }
    return results;
}

struct Fixture {
    explicit Fixture(json::object fcm_options = {}, PushOptions const& limits = {})
        : fcm("fcm.mjs", with_key(fcm_options, rsa()))
    {
        PushOptions options = limits;
        options.fcm_base_url = fcm.url();
        options.fcm_token_url = fcm.token_url();
        options.apns_base_url = apns.url();
        push.emplace(options, client, nullptr, clock, logger, observers());
    }

    static json::object with_key(json::object options, KeyPair const& key)
    {
        options["publicKey"] = key.public_pem;
        return options;
    }

    /// They note how breakers open and close, such as `fcm down` and `fcm up`.
    PushObservers observers()
    {
        return {.breaker = [this](Carrier carrier, std::string_view /*origin*/, bool open) {
            std::lock_guard const lock(mutex);
            breaker_changes.push_back(std::string(to_string(carrier)) + (open ? " down" : " up"));
        }};
    }

    static PushTarget target(Carrier carrier, std::string token, std::int64_t device = 1)
    {
        return {.device_id = device, .carrier = carrier, .token = std::move(token)};
    }

    /// `count` devices with the tokens `name:0`, `name:1`, …
    static std::vector<PushTarget> androids(int count, std::string const& name = "ok")
    {
        std::vector<PushTarget> targets;
        targets.reserve(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i)
            targets.push_back(target(Carrier::fcm, name + ":" + std::to_string(i), i));
        return targets;
    }

    SharedPush message(std::string_view title = "Title", core::Uuid const& id = core::Uuid::v7()) const
    {
        return std::make_shared<RenderedPush const>(
            render_push({.id = id, .title = title, .body = "Body", .data = {}, .created_at = clock.now()}));
    }

    /// Sends to devices of both carriers.
    std::vector<PushResult> send(std::vector<PushTarget> const& targets)
    {
        return send_all(*push, {fcm_credential(), apns_credential()}, message(), targets);
    }

    /// Sends to one device with another credential than the other functions.
    PushResult send_with(
        Credential::Ptr const& credential, std::string token, SendOptions const& options = {})
    {
        auto const own = tenants.try_emplace(credential->fingerprint(), tenants.size() + 1).first->second;
        auto content = std::make_shared<RenderedPush>(*message());
        content->scope = core::Scope::of(
            options.tenant.value_or(core::TenantId{own}), core::Environment::production, "tenant");
        return send_all(
            *push, {credential}, content, {target(credential->carrier(), std::move(token))}, options)
            .front();
    }

    PushResult send_fcm(std::string const& token) { return send({target(Carrier::fcm, token)}).front(); }

    PushResult send_apns(std::string const& token) { return send({target(Carrier::apns, token)}).front(); }

    std::vector<std::string> changes()
    {
        std::lock_guard const lock(mutex);
        return breaker_changes;
    }

    testing::FakeClock clock{core::SystemClock().now()};
    http_client::Client client{{.addresses = http_client::AddressPolicy(true)}};
    observe::Logger logger{"test", observe::Level::off};
    PushServer fcm;
    PushServer apns{"apns.mjs", {{"publicKey", p256().public_pem}, {"since", 1454948015990}}};
    std::map<crypto::Digest, std::int64_t> tenants; ///< of credentials, for `send_with`
    std::mutex mutex;
    std::vector<std::string> breaker_changes; ///< protected by the mutex
    std::optional<PushSender> push;
};

inline std::string name_of(PushResult const& result)
{
    return std::string(to_string(result.verdict)) + (result.reason.empty() ? "" : " " + result.reason);
}

} // namespace push_test
