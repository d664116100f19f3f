#include "oauth.hpp"

#include "core/text.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/random.hpp"
#include "http/form.hpp"

#include <catch2/catch.hpp>

namespace oauth {

namespace {

constexpr char const* form_type = "application/x-www-form-urlencoded";

Client registered(World const& world, boost::json::object const& fields, std::string const& tenant)
{
    auto const r = world.as_master(tenant).post("/v1/clients", body(fields));
    INFO(r.body);
    REQUIRE(r.status == 201);
    auto const answer = r.json();
    auto const* const secret = answer.as_object().if_contains("secret");
    return {.tenant = tenant,
        .id = text(answer, "clientId"),
        .secret = secret != nullptr && secret->is_string() ? std::string(secret->as_string()) : std::string(),
        .redirect_uri = std::string(answer.at("redirectUris").at(0).as_string())};
}

Client registered(
    World const& world, char const* type, boost::json::object const& changes, std::string const& tenant)
{
    boost::json::object fields{
        {"name", "Test app"}, {"type", type}, {"redirectUris", boost::json::array{redirect_uri}}};
    for (auto const& change : changes)
        fields[change.key()] = change.value();
    return registered(world, fields, tenant);
}

} // namespace

Pkce Pkce::make()
{
    auto verifier = crypto::base64url::encode(crypto::random_bytes(32));
    auto challenge = crypto::base64url::encode(crypto::view(crypto::sha256(verifier)));
    return {std::move(verifier), std::move(challenge)};
}

Client new_client(World const& world, boost::json::object const& fields, std::string const& tenant)
{
    return registered(world, "public", fields, tenant);
}

Client new_confidential_client(
    World const& world, boost::json::object const& fields, std::string const& tenant)
{
    return registered(world, "confidential", fields, tenant);
}

std::string issuer_of(World const& world, std::string const& tenant)
{
    return text(world.client(tenant).get("/.well-known/openid-configuration").json(), "issuer");
}

std::string encode(Fields const& fields)
{
    std::string form;
    for (auto const& [name, value] : fields)
        form += (form.empty() ? "" : "&") + core::percent_encode(name) + '=' + core::percent_encode(value);
    return form;
}

std::map<std::string, std::string> parameters_of(std::string const& url)
{
    auto const mark = url.find('?');
    REQUIRE(mark != std::string::npos);
    auto const form = http::parse_form(std::string_view(url).substr(mark + 1));
    REQUIRE(form);
    std::map<std::string, std::string> parameters;
    for (auto const& [name, value] : *form)
        CHECK(parameters.emplace(name, value).second);
    return parameters;
}

Fields with(Fields fields, Fields const& changes)
{
    for (auto const& [name, value] : changes) {
        std::erase_if(fields, [&](auto const& field) { return field.first == name; });
        if (!value.empty()) fields.emplace_back(name, value);
    }
    return fields;
}

Fields request_of(Client const& client, Pkce const& pkce, Fields const& changes)
{
    return with(
        {{"response_type", "code"}, {"client_id", client.id}, {"redirect_uri", client.redirect_uri},
            {"scope", "openid email profile offline_access"}, {"state", "state-1"}, {"nonce", "nonce-1"},
            {"code_challenge", pkce.challenge}, {"code_challenge_method", "S256"}},
        changes);
}

std::string authorize_path(Fields const& request)
{
    return "/oauth/authorize?" + encode(request);
}

std::string authorize(PageClient& browser, Fields const& request)
{
    auto const answer = browser.get_raw(authorize_path(request));
    INFO(answer.status << ' ' << answer.location << ' ' << answer.body);
    REQUIRE(answer.status == 303);
    auto const parameters = parameters_of(answer.location);
    REQUIRE(parameters.contains("code"));
    return parameters.at("code");
}

PageClient signed_in(World const& world, Account const& account)
{
    PageClient browser(world, account.tenant);
    browser.sign_in(account);
    return browser;
}

testing::HttpResponse post(World const& world, std::string const& tenant, std::string const& path,
    Fields const& fields, Headers headers)
{
    headers.emplace_back("Content-Type", form_type);
    return world.client(tenant).post(path, encode(fields), headers);
}

Fields credentials_of(Client const& client)
{
    if (client.secret.empty()) return {{"client_id", client.id}};
    return {{"client_id", client.id}, {"client_secret", client.secret}};
}

Headers basic(std::string const& id, std::string const& secret)
{
    auto const pair = core::percent_encode(id) + ':' + core::percent_encode(secret);
    return {{"Authorization", "Basic " + crypto::base64::encode(pair)}};
}

testing::HttpResponse exchange(World const& world, Client const& client, std::string const& code,
    Pkce const& pkce, Fields const& changes, Headers const& headers)
{
    auto fields = credentials_of(client);
    fields.insert(fields.end(), {{"grant_type", "authorization_code"}, {"code", code},
                                    {"redirect_uri", client.redirect_uri}, {"code_verifier", pkce.verifier}});
    return post(world, client.tenant, "/oauth/token", with(std::move(fields), changes), headers);
}

testing::HttpResponse refresh(World const& world, Client const& client, std::string const& refresh_token,
    Fields const& changes, Headers const& headers)
{
    auto fields = credentials_of(client);
    fields.insert(fields.end(), {{"grant_type", "refresh_token"}, {"refresh_token", refresh_token}});
    return post(world, client.tenant, "/oauth/token", with(std::move(fields), changes), headers);
}

Tokens Tokens::of(testing::HttpResponse const& response)
{
    INFO(response.status << ' ' << response.body);
    REQUIRE(response.status == 200);
    auto const answer = response.json();
    auto const member = [&](char const* name) {
        return answer.as_object().contains(name) ? text(answer, name) : std::string();
    };
    return {member("access_token"), member("refresh_token"), member("id_token"), member("scope")};
}

Tokens tokens_of(World const& world, Client const& client, Account const& account, Fields const& changes)
{
    auto browser = signed_in(world, account);
    auto const pkce = Pkce::make();
    auto const code = authorize(browser, request_of(client, pkce, changes));
    return Tokens::of(exchange(world, client, code, pkce));
}

std::string error_of(testing::HttpResponse const& response)
{
    if (response.status < 400) return {};
    INFO(response.status << ' ' << response.body);
    CHECK(response.header("content-type") == "application/json");
    CHECK(response.header("cache-control") == "no-store");
    auto const answer = response.json();
    CHECK_FALSE(text(answer, "error_description").empty());
    return text(answer, "error");
}

bool is_active(World const& world, Client const& confidential, std::string const& token)
{
    auto const fields = with(credentials_of(confidential), {{"token", token}});
    auto const r = post(world, confidential.tenant, "/oauth/introspect", fields);
    INFO(r.body);
    REQUIRE(r.status == 200);
    return r.json().at("active").as_bool();
}

} // namespace oauth
