#include "world.hpp"

#include "crypto/jwt.hpp"
#include "support/file.hpp"

#include <catch2/catch.hpp>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <filesystem>
#include <sstream>

namespace {

/// A new RSA key of 2048 bits in PEM.
std::string rsa_key()
{
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> const key(EVP_RSA_gen(2048), &EVP_PKEY_free);
    std::unique_ptr<BIO, decltype(&BIO_free)> const out(BIO_new(BIO_s_mem()), &BIO_free);
    REQUIRE(PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
    char* data = nullptr;
    auto const size = BIO_get_mem_data(out.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

} // namespace

World::World(Options const& options) : KeyedWorld(notify::definition(), core::SystemClock().now())
{
    testing::Variables environment = options.environment;
    std::string const no_server = "http://127.0.0.1:9"; // the discard port, on which no server listens
    environment.try_emplace("BLOB_DIR", directory.path() + "/blobs");
    environment.try_emplace("FCM_BASE_URL", no_server);
    environment.try_emplace("FCM_TOKEN_URL", no_server + "/token");
    environment.try_emplace("APNS_BASE_URL", no_server);
    environment.try_emplace("EMAIL_OUTBOX", directory.path() + "/mail");
    environment.try_emplace("SMS_OUTBOX", directory.path() + "/sms");
    environment.try_emplace("SMS_SENDER_VERIFIED", "true");
    boost::json::object limits{{"sandboxSms", options.sandbox_sms}};
    if (!options.limited) limits["sendsPer5Minutes"] = 1'000'000;
    begin(std::move(environment), body({{"displayName", "A tenant"}, {"limits", std::move(limits)}}),
        options.adjust);
}

testing::HttpClient World::as_app(std::string const& tenant) const
{
    return with(key(tenant, "publishable"), tenant);
}

std::string World::new_template(
    std::string const& name, boost::json::object fields, std::string const& tenant) const
{
    fields["name"] = name;
    fields.emplace("channel", "email");
    fields.emplace("subject", "A subject");
    fields.emplace("body", "A body");
    auto const r = require(201, as_backend(tenant).post("/v1/templates", body(fields)));
    return text(r.json(), "templateId");
}

void World::put_fcm(std::string const& tenant) const
{
    require(200, as_backend(tenant).put("/v1/platforms/fcm", body(fcm_credential())));
}

void World::put_apns(std::string const& tenant) const
{
    require(200, as_backend(tenant).put("/v1/platforms/apns", body(apns_credential())));
}

void World::new_device(std::string const& user_id, std::string const& token, std::string const& platform,
    std::string const& tenant) const
{
    require(201, as_app(tenant).post(
                     "/v1/devices", body({{"userId", user_id}, {"token", token}, {"platform", platform}})));
}

std::string World::send(boost::json::object const& fields, std::string const& tenant) const
{
    auto const r = require(202, as_backend(tenant).post("/v1/notifications/send", body(fields)));
    return text(r.json(), "notificationId");
}

boost::json::value World::notification(std::string const& id, std::string const& tenant) const
{
    return require(200, as_backend(tenant).get("/v1/notifications/" + id)).json();
}

bool World::becomes(std::string const& id, std::string const& status, std::string const& tenant) const
{
    return eventually([&] { return text(notification(id, tenant), "status") == status; });
}

void World::limit(boost::json::object const& limits, std::string const& slug) const
{
    auto operators = as_master(slug);
    require(200,
        operators.put("/v1/admin/tenants/" + slug, body({{"displayName", "A tenant"}, {"limits", limits}})));
    // The service learns of changes in their order. When it accepts a new origin, it uses the limits, too.
    std::string const origin =
        "https://after" + std::to_string(std::hash<boost::json::object>()(limits)) + ".example.com";
    require(200, operators.patch("/v1/settings", body({{"allowedOrigins", boost::json::array{origin}}})));
    auto backend = as_backend(slug);
    REQUIRE(eventually([&] {
        return backend.get("/v1/settings", {{"Origin", origin}}).header("access-control-allow-origin") ==
               origin;
    }));
}

std::vector<boost::json::object> World::texts() const
{
    std::vector<boost::json::object> found;
    std::istringstream lines(testing::read_file(directory.path() + "/sms"));
    for (std::string line; std::getline(lines, line);)
        found.push_back(boost::json::parse(line).as_object());
    return found;
}

std::vector<std::string> World::mails() const
{
    std::vector<std::string> found;
    for (auto const& entry : std::filesystem::directory_iterator(directory.path() + "/mail")) {
        if (entry.path().extension() == ".eml") found.push_back(testing::read_file(entry.path().string()));
    }
    return found;
}

boost::json::object fcm_credential()
{
    return {{"serviceAccountKey",
        boost::json::object{{"type", "service_account"}, {"project_id", "demo-project"},
            {"private_key", rsa_key()}, {"client_email", "push@demo-project.iam.gserviceaccount.com"}}}};
}

boost::json::object apns_credential()
{
    return {{"keyId", "ABCDE12345"}, {"teamId", "TEAM123456"},
        {"privateKey", crypto::SigningKey::generate().to_pem().reveal()}, {"bundleId", "com.example.demo"},
        {"environment", "sandbox"}};
}
