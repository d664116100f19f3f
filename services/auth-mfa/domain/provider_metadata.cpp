#include "domain/provider_metadata.hpp"

#include "core/fields.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace auth_mfa {

namespace {

namespace json = boost::json;

constexpr std::size_t max_url = 2048;

std::string read_url(core::Fields& f, std::string_view name, PermitsUrl const& permits)
{
    auto url = f.text(name, 1, max_url);
    if (!url.empty() && !permits(url)) f.fault(name, "format", "is not permitted");
    return url;
}

/// Without the member, the provider supports HTTP Basic authentication.
ProviderAuthentication read_authentication(json::object const& document)
{
    auto const* const value = document.if_contains("token_endpoint_auth_methods_supported");
    auto const* const methods = value == nullptr ? nullptr : value->if_array();
    auto const supports = [&](ProviderAuthentication method) {
        return std::ranges::find(*methods, json::value(to_string(method))) != methods->end();
    };
    using enum ProviderAuthentication;
    bool const only_post =
        methods != nullptr && !supports(client_secret_basic) && supports(client_secret_post);
    return only_post ? client_secret_post : client_secret_basic;
}

} // namespace

std::string metadata_url(std::string_view issuer)
{
    if (issuer.ends_with('/')) issuer.remove_suffix(1);
    return std::string(issuer) + "/.well-known/openid-configuration";
}

std::optional<ProviderMetadata> parse_provider_metadata(
    std::string_view text, std::string_view issuer, PermitsUrl const& permits)
{
    boost::system::error_code malformed;
    auto const document = json::parse(text, malformed);
    if (malformed || !document.is_object()) return std::nullopt;
    core::Fields f(document);
    // Metadata of another issuer would send the client to a provider that the tenant does not trust.
    if (f.text("issuer", 1, IdentityProvider::max_issuer) != issuer) return std::nullopt;
    ProviderMetadata metadata;
    metadata.authorization_endpoint = read_url(f, "authorization_endpoint", permits);
    metadata.token_endpoint = read_url(f, "token_endpoint", permits);
    metadata.jwks_url = read_url(f, "jwks_uri", permits);
    constexpr std::string_view userinfo = "userinfo_endpoint";
    if (f.has(userinfo) && !f.is_null(userinfo)) metadata.userinfo_endpoint = read_url(f, userinfo, permits);
    metadata.sends_issuer =
        f.optional_boolean("authorization_response_iss_parameter_supported").value_or(false);
    metadata.authentication = read_authentication(document.get_object());
    if (!f.ok()) return std::nullopt;
    return metadata;
}

bool needs_metadata(IdentityProvider const& provider) noexcept
{
    if (!provider.issues_id_tokens()) return false;
    bool const lacks_endpoint = provider.client && (provider.client->authorization_endpoint.empty() ||
                                                       provider.client->token_endpoint.empty());
    return lacks_endpoint || provider.jwks_url.empty();
}

ProviderMetadata with_settings(ProviderMetadata metadata, IdentityProvider const& provider)
{
    auto const replace = [](std::string& value, std::string const& set) {
        if (!set.empty()) value = set;
    };
    replace(metadata.jwks_url, provider.jwks_url);
    if (!provider.client) return metadata;
    replace(metadata.authorization_endpoint, provider.client->authorization_endpoint);
    replace(metadata.token_endpoint, provider.client->token_endpoint);
    replace(metadata.userinfo_endpoint, provider.client->userinfo_endpoint);
    metadata.authentication = provider.client->authentication.value_or(metadata.authentication);
    return metadata;
}

} // namespace auth_mfa
