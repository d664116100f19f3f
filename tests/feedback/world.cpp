#include "world.hpp"

#include <catch2/catch.hpp>

#include <fstream>

namespace {

service::Settings settings_for(World const& world)
{
    service::Settings settings;
    settings.base_host = "feedback.localhost";
    settings.database_url = core::Secret(world.postgres.service_url());
    settings.redis_url = core::Secret(world.redis.url());
    settings.master_key = core::Secret(World::master);
    settings.encryption_keys = core::Secret("test:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    settings.outbound_allow_private = true;
    return settings;
}

core::Environment environment_of(std::string const& tenant)
{
    return tenant.ends_with("-sandbox") ? core::Environment::sandbox : core::Environment::production;
}

std::string slug_of(std::string const& tenant)
{
    return tenant.substr(0, tenant.find("-sandbox"));
}

} // namespace

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
    host = std::make_unique<service::Host>(
        "feedback", settings_for(*this), logger, clock, [config](service::Runtime const& runtime) {
            return std::make_unique<feedback::App>(config, runtime);
        });
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
        auto const environment = std::string(core::to_string(environment_of(tenant)));
        auto const r = as_master(tenant).post("/v1/keys", R"({"environment":")" + environment + "\"}");
        REQUIRE(r.status == 201);
        key = text(r.json(), "key");
    }
    return key;
}

std::string World::token(std::string const& subject, std::string const& role, std::string const& tenant) const
{
    return issuer.token({.tenant = slug_of(tenant),
        .environment = environment_of(tenant),
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

std::string text(boost::json::value const& value, std::string_view member)
{
    auto const& found = value.as_object().at(member);
    return found.is_string() ? std::string(found.as_string()) : boost::json::serialize(found);
}

boost::json::array all_items(testing::HttpClient& client, std::string const& path, int limit)
{
    boost::json::array items;
    std::string cursor;
    do {
        std::string const separator = path.find('?') == std::string::npos ? "?" : "&";
        auto const r = client.get(path + separator + "limit=" + std::to_string(limit) +
                                  (cursor.empty() ? "" : "&cursor=" + cursor));
        REQUIRE(r.status == 200);
        auto const page = r.json();
        REQUIRE(page.at("items").as_array().size() <= static_cast<std::size_t>(limit));
        for (auto const& item : page.at("items").as_array())
            items.push_back(item);
        cursor = page.at("cursor").is_null() ? "" : text(page, "cursor");
    } while (!cursor.empty());
    return items;
}
