#pragma once

#include "authenticator.hpp"
#include "factors.hpp"
#include "world.hpp"

#include <string>
#include <vector>

// Requests with passkeys, and the outcomes of refused ones.

inline constexpr char const* refused_passkey = "401 INVALID_CREDENTIALS";

/// A phone on the page of the sandbox's own host.
inline Authenticator new_phone_with_passkeys(Authenticator::Key key = Authenticator::Key::es256)
{
    return {"demo-sandbox.auth.localhost", "http://demo-sandbox.auth.localhost:8102", key};
}

/// The creation options for the user of the token: an access token or an enrollment_token.
inline boost::json::object creation_options(World const& world, std::string const& token)
{
    auto const r = world.with(token).post("/v1/auth/passkeys/options", "{}");
    INFO(r.body);
    REQUIRE(r.status == 200);
    CHECK(r.header("cache-control") == "no-store");
    return r.json().as_object();
}

inline testing::HttpResponse send_registration(World const& world, std::string const& token,
    boost::json::object const& credential, std::string const& name = "Phone")
{
    return world.with(token).post("/v1/auth/passkeys", body({{"name", name}, {"credential", credential}}));
}

/// Registers a new passkey. Stores recovery codes in the account if there are new ones.
inline boost::json::object register_passkey(
    World const& world, Account& account, Authenticator& phone, std::string const& name = "Phone")
{
    auto const options = creation_options(world, account.access_token);
    auto const r = send_registration(world, account.access_token, phone.create(options), name);
    INFO(r.body);
    REQUIRE(r.status == 201);
    auto made = r.json().as_object();
    auto const& codes = made.at("recoveryCodes").as_array();
    if (!codes.empty()) account.recovery_codes.clear();
    for (auto const& code : codes)
        account.recovery_codes.emplace_back(code.as_string());
    return made;
}

/// The request options of a client: one without a credential gets those for any passkey.
inline boost::json::object request_options(testing::HttpClient client, boost::json::object const& more = {})
{
    auto const r = client.post("/v1/auth/passkeys/challenge", body(more));
    INFO(r.body);
    REQUIRE(r.status == 200);
    CHECK(r.header("cache-control") == "no-store");
    return r.json().as_object();
}

inline testing::HttpResponse send_assertion(
    World const& world, boost::json::object const& credential, std::string const& tenant = "demo-sandbox")
{
    return world.client(tenant).post("/v1/auth/login/passkey", body({{"credential", credential}}));
}

/// Signs in with a passkey.
inline testing::HttpResponse sign_in_with(
    World const& world, Authenticator& phone, Ceremony const& ceremony = {})
{
    return send_assertion(world, phone.get(request_options(world.client()), ceremony));
}

/// The access token of a new session that was opened with the passkey.
inline std::string strong_token(World const& world, Authenticator& phone)
{
    auto const r = sign_in_with(world, phone);
    INFO(r.body);
    REQUIRE(r.status == 200);
    return text(r.json(), "accessToken");
}

/// The passkeys of the user of this access token.
inline boost::json::array passkeys_of(World const& world, std::string const& access_token)
{
    auto const listed = testing::require(200, world.with(access_token).get("/v1/auth/passkeys"));
    return listed.json().at("items").as_array();
}

inline testing::HttpResponse remove_passkey(
    World const& world, std::string const& access_token, std::string const& passkey_id)
{
    return world.with(access_token).del("/v1/auth/passkeys/" + passkey_id);
}

/// A user with a passkey.
struct Owner {
    Account account;
    Authenticator phone = new_phone_with_passkeys();
    boost::json::object passkey;

    explicit Owner(World const& world) : account(world.new_account())
    {
        passkey = register_passkey(world, account, phone);
    }
};

/// The results of the user's activities of this type, newest first.
inline std::vector<std::string> results_of(
    World const& world, Account const& account, std::string const& type)
{
    std::vector<std::string> results;
    auto master = world.as_master();
    for (auto const& entry : all_items(master, "/v1/members/" + account.user_id + "/activity"))
        if (text(entry, "type") == type) results.push_back(text(entry, "result"));
    return results;
}

/// The `available_methods` of a refusal.
inline std::string methods_of(testing::HttpResponse const& refused)
{
    return boost::json::serialize(refused.json().at("available_methods"));
}

/// The claims that show how the user authenticated: `aal1 ["pwd"]`.
inline std::string strength_of(testing::HttpResponse const& response)
{
    auto const claims = claims_of(text(response.json(), "accessToken"));
    return text(claims, "acr") + ' ' + boost::json::serialize(claims.at("amr"));
}
