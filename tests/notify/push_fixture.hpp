#pragma once

#include "http_client/client.hpp"
#include "observe/log.hpp"
#include "providers/push_sender.hpp"
#include "push_server.hpp"
#include "support/fake_clock.hpp"
#include "support/json.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
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

inline Credential::Ptr fcm_credential(std::string const& project = "demo-project")
{
    json::object const key{{"type", "service_account"}, {"project_id", project}, {"private_key_id", "key-1"},
        {"private_key", rsa().private_pem}, {"client_email", "push@" + project + ".iam.gserviceaccount.com"}};
    return Credential::parse(Carrier::fcm, json::object{{"serviceAccountKey", key}});
}

inline Credential::Ptr apns_credential(std::string const& key_id = "ABCDE12345")
{
    return Credential::parse(Carrier::apns,
        json::object{{"keyId", key_id}, {"teamId", "TEAM123456"}, {"privateKey", p256().private_pem},
            {"bundleId", "com.example.demo"}, {"environment", "sandbox"}});
}

struct Fixture {
    explicit Fixture(json::object fcm_options = {}, PushOptions const& limits = {})
        : fcm("fcm.mjs", with_key(fcm_options, rsa()))
    {
        PushOptions options = limits;
        options.fcm_base_url = fcm.url();
        options.fcm_token_url = fcm.token_url();
        options.apns_base_url = apns.url();
        push.emplace(options, client, clock, logger);
    }

    static json::object with_key(json::object options, KeyPair const& key)
    {
        options["publicKey"] = key.public_pem;
        return options;
    }

    static PushTarget target(Carrier carrier, std::string token, std::int64_t device = 1)
    {
        return {.device_id = device, .carrier = carrier, .token = std::move(token)};
    }

    SharedPush message(std::string_view title = "Title", core::Uuid const& id = core::Uuid::v7()) const
    {
        return std::make_shared<RenderedPush const>(
            render_push({.id = id, .title = title, .body = "Body", .data = {}, .created_at = clock.now()}));
    }

    std::vector<PushResult> send(
        std::vector<PushTarget> const& targets, std::chrono::milliseconds send_timeout = 30s)
    {
        return push->send_all({fcm_credential(), apns_credential()}, message(), targets, send_timeout);
    }

    PushResult send_fcm(std::string const& token) { return send({target(Carrier::fcm, token)}).front(); }

    PushResult send_apns(std::string const& token) { return send({target(Carrier::apns, token)}).front(); }

    testing::FakeClock clock{core::SystemClock().now()};
    http_client::Client client{{.addresses = http_client::AddressPolicy(true)}};
    observe::Logger logger{"test", observe::Level::off};
    PushServer fcm;
    PushServer apns{"apns.mjs", {{"publicKey", p256().public_pem}, {"since", 1454948015990}}};
    std::optional<PushSender> push;
};

inline std::string name_of(PushResult const& result)
{
    return std::string(to_string(result.verdict)) + (result.reason.empty() ? "" : " " + result.reason);
}

} // namespace push_test
