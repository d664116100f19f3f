#pragma once

#include "crypto/jwt.hpp"
#include "oauth.hpp"

#include <catch2/catch.hpp>

#include <string>

/// Helpers of the tests that register clients.
namespace registration {

namespace json = boost::json;

/// The path of the clients.
inline constexpr char const* clients = "/v1/clients";

/// The body that registers a public client. `changes` replace members.
inline json::object new_client(json::object const& changes = {})
{
    json::object fields{{"name", "Demo app"}, {"type", "public"},
        {"redirectUris", json::array{"https://app.example.com/callback"}}};
    for (auto const& change : changes)
        fields[change.key()] = change.value();
    return fields;
}

/// As `new_client`, for a confidential client.
inline json::object new_server(json::object changes = {})
{
    changes["type"] = "confidential";
    return new_client(changes);
}

/// A JWK set of one new key.
inline json::object key_set(std::string const& kid = "key-1")
{
    return {{"keys", json::array{crypto::SigningKey::generate().public_jwk(kid)}}};
}

/// Registers the client. Returns the response.
inline json::object created(testing::HttpClient& caller, json::object const& fields)
{
    auto const r = caller.post(clients, body(fields));
    INFO(r.body);
    REQUIRE(r.status == 201);
    return r.json().as_object();
}

/// The path of the client.
inline std::string path_of(json::object const& client)
{
    return std::string(clients) + '/' + text(client, "clientId");
}

/// Whether the service authenticates the client with the secret.
inline bool accepts(World const& world, std::string const& id, std::string const& secret)
{
    auto const r = oauth::post(world, "demo-sandbox", "/oauth/introspect",
        {{"client_id", id}, {"client_secret", secret}, {"token", "x"}});
    INFO(r.body);
    REQUIRE((r.status == 200 || r.status == 401));
    return r.status == 200;
}

} // namespace registration
