#include "core/error.hpp"
#include "push_fixture.hpp"

using namespace push_test;

namespace {

json::object fcm_body()
{
    return {{"serviceAccountKey",
        json::object{{"type", "service_account"}, {"project_id", "demo-project"},
            {"private_key", rsa().private_pem}, {"client_email", "push@demo-project.iam.gserviceaccount.com"},
            {"universe_domain", "googleapis.com"}}}};
}

json::object apns_body()
{
    return {{"keyId", "ABCDE12345"}, {"teamId", "TEAM123456"}, {"privateKey", p256().private_pem},
        {"bundleId", "com.example.demo"}, {"environment", "production"}};
}

json::object with(json::object body, std::string_view name, std::string_view value)
{
    body[name] = value;
    return body;
}

/// The FCM body with another value for one member of the service account key.
json::object with_account(std::string_view name, std::string_view value)
{
    auto body = fcm_body();
    body["serviceAccountKey"].as_object()[name] = value;
    return body;
}

/// `/pointer code` of each fault, in order; "" if there is none.
std::string faults_of(Carrier carrier, json::object const& body)
{
    std::string found;
    try {
        Credential::parse(carrier, body);
    } catch (core::Error const& error) {
        CHECK(error.code().name == "VALIDATION_ERROR");
        for (auto const& fault : error.faults()) {
            found += (found.empty() ? "" : ", ") + fault.pointer + ' ' + fault.code;
            CHECK(fault.detail.find("BEGIN") == std::string::npos);
        }
    }
    return found;
}

} // namespace

TEST_CASE("a service account key is validated", "[push]")
{
    auto const credential = Credential::parse(Carrier::fcm, fcm_body());
    CHECK(credential->carrier() == Carrier::fcm);
    CHECK(credential->shown().project_id == "demo-project");
    CHECK(credential->shown().environment.empty());
    for (auto const* project :
        {"abcdef", "a12345", "example.com:my-project", "a23456789-123456789-123456789x"})
        CHECK(faults_of(Carrier::fcm, with_account("project_id", project)).empty());
    for (auto const* project : {"abcde", "1abcdef", "Abcdef", "abcdef-", "a/../b-c", "a bcdef", ":abcdef",
             "a23456789-123456789-123456789xy"}) {
        INFO(project);
        CHECK(faults_of(Carrier::fcm, with_account("project_id", project)) ==
              "/serviceAccountKey/project_id format");
    }
    CHECK(faults_of(Carrier::fcm, with_account("type", "authorized_user")) ==
          "/serviceAccountKey/type not_allowed");
    CHECK(faults_of(Carrier::fcm, with_account("client_email", "push")) ==
          "/serviceAccountKey/client_email format");
    for (auto const& pem :
        {std::string("x"), p256().private_pem, rsa().public_pem, rsa().private_pem.substr(0, 500)})
        CHECK(faults_of(Carrier::fcm, with_account("private_key", pem)) ==
              "/serviceAccountKey/private_key format");
}

TEST_CASE("an APNs key is validated", "[push]")
{
    auto const credential = Credential::parse(Carrier::apns, apns_body());
    CHECK(credential->carrier() == Carrier::apns);
    auto const shown = credential->shown();
    CHECK(shown.key_id == "ABCDE12345");
    CHECK(shown.team_id == "TEAM123456");
    CHECK(shown.bundle_id == "com.example.demo");
    CHECK(shown.environment == "production");
    for (auto const* id : {"ABCDE1234", "ABCDE123456", "abcde12345", "ABCDE-2345"}) {
        INFO(id);
        CHECK(faults_of(Carrier::apns, with(apns_body(), "keyId", id)) == "/keyId format");
        CHECK(faults_of(Carrier::apns, with(apns_body(), "teamId", id)) == "/teamId format");
    }
    for (auto const* bundle : {"com..example", ".com", "com.", "com/example", "com example", "com\r\nx: y"}) {
        INFO(bundle);
        CHECK(faults_of(Carrier::apns, with(apns_body(), "bundleId", bundle)) == "/bundleId format");
    }
    CHECK(faults_of(Carrier::apns, with(apns_body(), "environment", "development")) ==
          "/environment not_allowed");
    CHECK(
        faults_of(Carrier::apns, with(apns_body(), "privateKey", rsa().private_pem)) == "/privateKey format");
}

TEST_CASE("all faults of a credential are reported at once", "[push]")
{
    CHECK(faults_of(Carrier::fcm, {}) == "/serviceAccountKey required");
    CHECK(faults_of(Carrier::fcm, {{"serviceAccountKey", "text"}}) == "/serviceAccountKey type");
    CHECK(faults_of(Carrier::fcm, {{"serviceAccountKey", json::object{{"private_key", 7}}}}) ==
          "/serviceAccountKey/type required, /serviceAccountKey/project_id required, "
          "/serviceAccountKey/client_email required, /serviceAccountKey/private_key type");
    CHECK(faults_of(Carrier::apns, {{"keyId", ""}}) ==
          "/keyId too_short, /teamId required, /bundleId required, /environment required, /privateKey "
          "required");
}

TEST_CASE("a restored credential equals the stored one", "[push]")
{
    for (auto const& [carrier, body] : {std::pair(Carrier::fcm, with_account("private_key_id", "k1")),
             std::pair(Carrier::apns, apns_body())}) {
        auto const credential = Credential::parse(carrier, body);
        auto const restored = Credential::restore(carrier, credential->to_secret().reveal());
        CHECK(restored->fingerprint() == credential->fingerprint());
        CHECK(restored->to_secret().reveal() == credential->to_secret().reveal());
    }
    auto const one = Credential::parse(Carrier::apns, apns_body());
    auto const other = Credential::parse(Carrier::apns, with(apns_body(), "environment", "sandbox"));
    CHECK(one->fingerprint() != other->fingerprint());
    for (auto const* text : {"", "{}", "not json", R"({"keyId": "ABCDE12345"})"})
        CHECK_THROWS_AS(Credential::restore(Carrier::apns, text), std::invalid_argument);
}
