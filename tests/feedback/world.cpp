#include "world.hpp"

#include <catch2/catch.hpp>

#include <fstream>

World::World() : ServiceWorld(feedback::definition())
{
    std::ofstream(directory.path() + "/jwks.json") << issuer.jwks();
    begin({{"JWKS_FILE", directory.path() + "/jwks.json"}, {"BLOB_DIR", directory.path() + "/blobs"}});
}

testing::HttpClient World::as_backend(std::string const& tenant) const
{
    return with(key(tenant), tenant);
}

testing::HttpClient World::as_user(
    std::string const& subject, std::string const& role, std::string const& tenant) const
{
    return with(token(subject, role, tenant), tenant);
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
