#include "domain/identity_provider.hpp"

#include "core/json.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <utility>

namespace auth_mfa {

namespace {

namespace json = boost::json;

constexpr std::size_t max_name = 40;

std::string text(json::object const& object, std::string_view name)
{
    return std::string(core::text_of(object, name));
}

bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (core::lower(c) >= 'a' && core::lower(c) <= 'z');
}

/// GitHub Enterprise Server has the same paths below its own issuer.
void add_github_endpoints(IdentityProvider& provider)
{
    auto& client = *provider.client;
    if (client.authorization_endpoint.empty()) client.authorization_endpoint = provider.issuer + "/authorize";
    if (client.token_endpoint.empty()) client.token_endpoint = provider.issuer + "/access_token";
    if (client.userinfo_endpoint.empty()) client.userinfo_endpoint = github_user_api;
}

ProviderClient read_client(json::object const& stored)
{
    ProviderClient client;
    client.type = core::parse_enum<ProviderType>(core::text_of(stored, "type")).value_or(ProviderType::oidc);
    client.name = text(stored, "name");
    client.display_name = text(stored, "displayName");
    if (client.display_name.empty()) client.display_name = default_display_name(client.name);
    client.id = text(stored, "clientId");
    client.authorization_endpoint = text(stored, "authorizationEndpoint");
    client.token_endpoint = text(stored, "tokenEndpoint");
    client.userinfo_endpoint = text(stored, "userinfoEndpoint");
    client.authentication =
        core::parse_enum<ProviderAuthentication>(core::text_of(stored, "tokenEndpointAuthMethod"));
    client.sealed_secret = text(stored, sealed_secret_member);
    client.team_id = text(stored, "teamId");
    client.key_id = text(stored, "keyId");
    return client;
}

} // namespace

IdentityProvider IdentityProvider::from_json(json::object const& stored)
{
    IdentityProvider provider{text(stored, "issuer"), text(stored, "audience"), text(stored, "jwksUrl")};
    if (!stored.contains("clientId")) return provider;
    provider.client = read_client(stored);
    auto& client = *provider.client;
    if (client.type == ProviderType::github) add_github_endpoints(provider);
    // Neither supports HTTP Basic authentication.
    if (client.type != ProviderType::oidc) client.authentication = ProviderAuthentication::client_secret_post;
    return provider;
}

bool is_provider_name(std::string_view name) noexcept
{
    if (name.empty() || name.size() > max_name || name == "callback" || !is_letter_or_digit(name.front()))
        return false;
    return std::ranges::all_of(
        name, [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; });
}

std::string default_display_name(std::string_view name)
{
    static constexpr auto known = std::to_array<std::pair<std::string_view, std::string_view>>(
        {{"apple", "Apple"}, {"facebook", "Facebook"}, {"github", "GitHub"}, {"gitlab", "GitLab"},
            {"google", "Google"}, {"linkedin", "LinkedIn"}, {"microsoft", "Microsoft"}});
    auto const* const found =
        std::ranges::find(known, name, &std::pair<std::string_view, std::string_view>::first);
    return std::string(found == known.end() ? name : found->second);
}

} // namespace auth_mfa
