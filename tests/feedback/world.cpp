#include "world.hpp"

#include <catch2/catch.hpp>

#include <fstream>

World::World()
    : postgres(testing::Postgres::migrated(feedback::App::components(), "feedback")), issuer(clock),
      logger("feedback", observe::Level::off)
{
    std::ofstream(directory.path() + "/jwks.json") << issuer.jwks();
    begin();
    for (std::string const slug : {"demo", "other"}) {
        auto const r = as_master(slug).put("/v1/admin/tenants/" + slug, R"({"displayName":"A tenant"})");
        REQUIRE(r.status == 201);
    }
}

void World::begin()
{
    feedback::Config config;
    config.issuer = {.jwks_file = directory.path() + "/jwks.json", .jwks_url = {}, .host = "auth.localhost"};
    config.blob_dir = directory.path() + "/blobs";
    host = std::make_unique<service::Host>("feedback",
        testing::service_settings("feedback.localhost", postgres, redis), logger, clock,
        [config](
            service::Runtime const& runtime) { return std::make_unique<feedback::App>(config, runtime); });
}

void World::restart()
{
    host->stop();
    host.reset();
    begin();
}

testing::HttpClient World::client(std::string const& tenant) const
{
    testing::HttpClient client("http://127.0.0.1:" + std::to_string(host->port()));
    client.set("Host", tenant + ".feedback.localhost");
    return client;
}

testing::HttpClient World::as_master(std::string const& tenant) const
{
    auto result = client(tenant);
    result.set("Authorization", std::string("Bearer ") + master);
    return result;
}

testing::HttpClient World::as_backend(std::string const& tenant) const
{
    auto result = client(tenant);
    result.set("Authorization", "Bearer " + key(tenant));
    return result;
}

testing::HttpClient World::as_user(
    std::string const& subject, std::string const& role, std::string const& tenant) const
{
    auto result = client(tenant);
    result.set("Authorization", "Bearer " + token(subject, role, tenant));
    return result;
}

std::string World::key(std::string const& tenant) const
{
    auto& key = keys_[tenant];
    if (key.empty()) {
        auto const environment = std::string(core::to_string(testing::environment_of(tenant)));
        auto const r = as_master(tenant).post("/v1/keys", R"({"environment":")" + environment + "\"}");
        REQUIRE(r.status == 201);
        key = text(r.json(), "key");
    }
    return key;
}

std::string World::token(std::string const& subject, std::string const& role, std::string const& tenant) const
{
    return issuer.token({.tenant = testing::slug_of(tenant),
        .environment = testing::environment_of(tenant),
        .subject = subject,
        .email = role + "@example.com",
        .role = role});
}

std::string new_thread(testing::HttpClient& client, std::string const& title)
{
    boost::json::object const body{{"category", "bug"}, {"title", title}, {"body", "It does not work."}};
    auto const r = client.post("/v1/feedbacks", boost::json::serialize(body));
    REQUIRE(r.status == 201);
    return text(r.json(), "feedbackId");
}
