#include "ceremonies.hpp"
#include "support/captured.hpp"
#include "support/process.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <openssl/err.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

// Every ceremony of `ceremonies::all()` is verified twice: by auth-mfa, and by @simplewebauthn/server.

using namespace ceremonies;

namespace {

/// The text of an exception, or "" if there is none.
std::string error_of(std::function<void()> const& action)
{
    try {
        action();
        return "";
    } catch (std::exception const& error) {
        return error.what();
    }
}

} // namespace

TEST_CASE("ceremonies get their verdicts", "[webauthn]")
{
    for (auto const& attempt : ceremonies::all()) {
        INFO(attempt.name);
        auto const verdict =
            attempt.stored ? sign_in_with(attempt.credential, *attempt.stored, attempt.user_verification)
                           : register_with(attempt.credential);
        CHECK(verdict == attempt.verdict);
    }
}

TEST_CASE("simplewebauthn has the same verdicts", "[webauthn][peers]")
{
    json::array entries;
    for (auto const& attempt : ceremonies::all()) {
        json::object entry{{"name", attempt.name}, {"credential", attempt.credential},
            {"accepted", attempt.verdict == "accepted"}, {"difference", attempt.difference},
            {"challenge", base64url::encode(challenge)}, {"origin", origin}, {"rpId", rp_id},
            {"userVerification", attempt.user_verification}};
        if (attempt.stored)
            entry["stored"] = {{"id", base64url::encode(attempt.stored->id)},
                {"publicKey", base64url::encode(attempt.cose_key)}, {"counter", attempt.stored->sign_count}};
        entries.push_back(std::move(entry));
    }
    testing::TemporaryDirectory const folder("auth-mfa-webauthn");
    std::string const file = folder.path() + "/ceremonies.json";
    std::ofstream(file) << json::serialize(entries);
    auto const output = testing::output_of(
        {"node", "--no-warnings", NPM_FOLDER "/webauthn.mjs", file}, std::chrono::minutes(2));
    CHECK(output == std::to_string(entries.size()) + " ceremonies\n");
}

TEST_CASE("a registration returns the credential", "[webauthn]")
{
    auto authenticator = new_authenticator();
    authenticator.synchronised = true;
    authenticator.aaguid = {1, 2, 3};
    authenticator.transports = {"usb", "nfc"};
    webauthn::Credential credential;
    REQUIRE(register_with(authenticator.create(creation()), &credential) == "accepted");
    CHECK(credential.id == authenticator.credential_id());
    CHECK(credential.algorithm == webauthn::Algorithm::es256);
    CHECK(credential.public_key.size() == 64);
    CHECK(authenticator.cose_key().find(credential.public_key.substr(0, 32)) != std::string::npos);
    CHECK(credential.sign_count == 1);
    CHECK(credential.backup_eligible);
    CHECK(credential.backed_up);
    CHECK(credential.aaguid == webauthn::Aaguid{1, 2, 3});
    CHECK(credential.attestation == webauthn::Attestation::none);
    CHECK(credential.transports == std::vector<std::string>{"usb", "nfc"});

    auto eddsa = new_authenticator(Key::eddsa);
    CHECK(registered(eddsa).public_key.size() == 32);
    auto rs256 = new_authenticator(Key::rs256);
    CHECK(registered(rs256).public_key.size() == 259);
    auto self = new_authenticator();
    REQUIRE(register_with(self.create(creation(), {.format = "packed"}), &credential) == "accepted");
    CHECK(credential.attestation == webauthn::Attestation::self);
}

TEST_CASE("an assertion returns the counter and the flags", "[webauthn]")
{
    auto authenticator = new_authenticator();
    authenticator.synchronised = true;
    auto const stored = registered(authenticator);
    webauthn::AssertionResult result;
    REQUIRE(sign_in_with(authenticator.get(request()), stored, true, &result) == "accepted");
    CHECK(result.sign_count == 2);
    CHECK(result.backed_up);
    CHECK(result.user_verified);
    REQUIRE(sign_in_with(authenticator.get(request(), {.clear_flags = uv | bs}), stored, false, &result) ==
            "accepted");
    CHECK(result.sign_count == 3);
    CHECK_FALSE(result.backed_up);
    CHECK_FALSE(result.user_verified);

    json::value const body{{"credential", authenticator.get(request())}};
    core::Fields fields(body);
    auto const given = webauthn::read_assertion(fields, "credential");
    REQUIRE(given);
    CHECK(given->user_handle == user_id);
    CHECK(given->client_data.challenge == challenge);
}

TEST_CASE("a counter fault means that everything else is right", "[webauthn]")
{
    auto authenticator = new_authenticator();
    auto stored = registered(authenticator);
    auto copy = authenticator.clone();
    CHECK(sign_in_with(authenticator.get(request()), stored) == "accepted");
    stored.sign_count = authenticator.sign_count;
    CHECK(sign_in_with(copy.get(request()), stored) == "counter");
    CHECK(
        sign_in_with(copy.get(request(), {.sign_count = 1, .wrong_signature = true}), stored) == "signature");
}

TEST_CASE("an unusable stored key is an error of the system", "[webauthn]")
{
    auto authenticator = new_authenticator();
    auto stored = registered(authenticator);
    stored.public_key.pop_back();
    CHECK_THROWS_AS(sign_in_with(authenticator.get(request()), stored), std::invalid_argument);
}

TEST_CASE("every truncated or changed byte of a ceremony is survived", "[webauthn]")
{
    auto authenticator = new_authenticator();
    auto const registration = authenticator.create(creation(), {.format = "packed"});
    webauthn::Credential stored;
    REQUIRE(register_with(registration, &stored) == "accepted");
    auto const object =
        base64url::decode(registration.at("response").at("attestationObject").as_string()).value();
    for (std::size_t i = 0; i < object.size(); ++i) {
        auto changed = registration;
        change_bytes(changed, "attestationObject", [i](auto& bytes) { bytes.resize(i); });
        CHECK(register_with(changed) != "accepted");
        changed = registration;
        change_bytes(changed, "attestationObject",
            [i](auto& bytes) { bytes[i] = static_cast<char>(bytes[i] ^ 0x80); });
        CHECK(register_with(changed) != "accepted");
    }
    auto const assertion = authenticator.get(request());
    for (auto const* member : {"authenticatorData", "signature", "clientDataJSON"}) {
        auto const size = base64url::decode(assertion.at("response").at(member).as_string())->size();
        for (std::size_t i = 0; i < size; ++i) {
            auto changed = assertion;
            change_bytes(changed, member, [i](auto& bytes) { bytes[i] = static_cast<char>(bytes[i] ^ 1); });
            CHECK(sign_in_with(changed, stored) != "accepted");
        }
    }
}

TEST_CASE("libfido2 logs nothing, even if FIDO_DEBUG is set", "[webauthn]")
{
    auto authenticator = new_authenticator();
    auto const stored = registered(authenticator);
    json::value const body{{"credential", authenticator.get(request(), {.wrong_signature = true})}};
    core::Fields fields(body);
    auto const wrong = webauthn::read_assertion(fields, "credential");
    REQUIRE(wrong);

    testing::Captured const log;
    int const standard_error = ::dup(STDERR_FILENO);
    ::setenv("FIDO_DEBUG", "1", 1);
    ::dup2(log.fd(), STDERR_FILENO);
    // libfido2 reads the variable once per thread.
    std::thread([&] { static_cast<void>(webauthn::verify_assertion(*wrong, stored, expected())); }).join();
    ::dup2(standard_error, STDERR_FILENO);
    ::close(standard_error);
    ::unsetenv("FIDO_DEBUG");
    CHECK(log.text().empty());
}

TEST_CASE("creation options ask for a discoverable passkey with user verification", "[webauthn]")
{
    std::vector<webauthn::Descriptor> const known{{"id", {"usb"}}, {"other", {}}};
    auto const options =
        webauthn::creation_options({challenge, rp_id, "Tetrad", user_id, "ada@example.com", known});
    CHECK(json::value(options) == json::parse(R"({
        "rp": {"id": "auth.example.com", "name": "Tetrad"},
        "user": {"id": "MDEyMzQ1Njc4OWFiY2RlZg", "name": "ada@example.com", "displayName": "ada@example.com"},
        "challenge": "Y2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2M",
        "pubKeyCredParams": [
            {"type": "public-key", "alg": -8}, {"type": "public-key", "alg": -7}, {"type": "public-key", "alg": -257}],
        "timeout": 300000,
        "excludeCredentials": [
            {"type": "public-key", "id": "aWQ", "transports": ["usb"]}, {"type": "public-key", "id": "b3RoZXI"}],
        "authenticatorSelection": {
            "residentKey": "required", "requireResidentKey": true, "userVerification": "required"},
        "attestation": "none"})"));
}

TEST_CASE("request options name the allowed passkeys", "[webauthn]")
{
    std::vector<webauthn::Descriptor> const known{{"id", {"internal", "hybrid"}}};
    CHECK(json::value(webauthn::request_options({challenge, rp_id, known, false})) == json::parse(R"({
        "challenge": "Y2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2M", "timeout": 300000,
        "rpId": "auth.example.com", "userVerification": "preferred",
        "allowCredentials": [{"type": "public-key", "id": "aWQ", "transports": ["internal", "hybrid"]}]})"));
    auto const any = webauthn::request_options({.challenge = challenge, .rp_id = rp_id});
    CHECK(any.at("allowCredentials") == json::array());
    CHECK(any.at("userVerification") == "required");
}

TEST_CASE("the test's authenticator refuses options as a browser does", "[webauthn]")
{
    auto authenticator = new_authenticator();
    auto const stored = registered(authenticator);
    std::vector<webauthn::Descriptor> const own{{stored.id, {}}}, other{{"other", {}}};
    auto const exclude =
        webauthn::creation_options({challenge, rp_id, "Tetrad", user_id, "ada@example.com", own});
    CHECK(error_of([&] { authenticator.create(exclude); }) == "authenticator: InvalidStateError");
    CHECK(error_of([&] { authenticator.get(webauthn::request_options({challenge, rp_id, own})); }).empty());
    CHECK(error_of([&] { authenticator.get(webauthn::request_options({challenge, rp_id, other})); }) != "");
    CHECK(error_of([&] { authenticator.get(webauthn::request_options({challenge, "example.org"})); }) != "");
}
