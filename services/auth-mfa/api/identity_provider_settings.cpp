#include "api/identity_provider_settings.hpp"

#include "core/json.hpp"
#include "crypto/jwt.hpp"
#include "domain/identity_provider.hpp"
#include "http_client/url.hpp"
#include "storage/provider_secrets.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace auth_mfa {

namespace {

namespace json = boost::json;

constexpr std::size_t max_providers = 10;
constexpr std::size_t max_url = 2048;
constexpr std::size_t max_audience = 255;
constexpr std::size_t max_display_name = 50;
constexpr std::size_t max_name_text = 64; // longer than a name, so that a wrong form has one kind of fault
constexpr std::size_t max_secret = 512;
constexpr std::size_t max_private_key = 4096; // PEM
constexpr std::size_t max_apple_id = 32;

/// The members of an element that need `clientId`.
constexpr std::array<std::string_view, 10> client_members{"displayName", "type", "clientSecret",
    "authorizationEndpoint", "tokenEndpoint", "userinfoEndpoint", "tokenEndpointAuthMethod", "teamId",
    "keyId", "privateKey"};

bool is_given(core::Fields const& f, std::string_view name)
{
    return f.has(name) && !f.is_null(name);
}

/// Reads one element of the list into the form that is stored.
struct Reader {
    core::Fields& f;
    http_client::AddressPolicy const& addresses;
    GivenProvider given{};

    void store(std::string_view name, std::string const& value)
    {
        if (!value.empty()) given.entry[name] = value;
    }

    void read_url(std::string_view name, std::size_t max = max_url)
    {
        auto const url = f.text(name, 1, max);
        if (!url.empty()) http_client::check_url(f, name, url, addresses);
        store(name, url);
    }

    void read_optional_url(std::string_view name)
    {
        if (is_given(f, name)) read_url(name);
    }

    void read_name()
    {
        auto const name = f.optional_text("name", 1, max_name_text);
        if (name && !is_provider_name(*name))
            f.fault("name", "format",
                "must be 1 to 40 letters, digits, dots, hyphens or underscores, beginning with a letter or "
                "digit, and not `callback`");
        store("name", name.value_or(""));
    }

    /// A provider whose id tokens apps send, and at which the tenant has no client of the hosted pages.
    void read_token_issuer()
    {
        read_url("issuer", IdentityProvider::max_issuer);
        store("audience", f.text("audience", 1, max_audience));
        read_url("jwksUrl");
        for (auto const name : client_members)
            if (is_given(f, name))
                f.fault("clientId", "required", "is required with `" + std::string(name) + "`");
    }

    void read_issuer(ProviderType type)
    {
        std::string_view const fixed = type == ProviderType::apple    ? apple_issuer
                                       : type == ProviderType::github ? github_issuer
                                                                      : std::string_view();
        if (fixed.empty() || is_given(f, "issuer"))
            read_url("issuer", IdentityProvider::max_issuer);
        else
            store("issuer", std::string(fixed));
    }

    void read_client(ProviderType type)
    {
        auto const id = f.text("clientId", 1, max_audience);
        auto const audience = f.optional_text("audience", 1, max_audience);
        if (audience && *audience != id)
            f.fault("audience", "not_equal", "must be equal to `clientId`, or be left out");
        store("audience", id);
        store("clientId", id);
        if (!is_given(f, "name"))
            f.fault("name", "required",
                "is required with `clientId`: the sign-in begins at /oauth/external/{name}");
        store("displayName", f.optional_text("displayName", 1, max_display_name).value_or(""));
        for (auto const* name : {"authorizationEndpoint", "tokenEndpoint", "userinfoEndpoint"})
            read_optional_url(name);
        if (type != ProviderType::github) read_optional_url("jwksUrl");
        if (type != ProviderType::oidc) return;
        if (auto const method = f.optional_one_of<ProviderAuthentication>("tokenEndpointAuthMethod"))
            store("tokenEndpointAuthMethod", std::string(to_string(*method)));
    }

    void read_secret(std::string_view name, std::size_t max)
    {
        auto const change = f.change_text(name, 1, max);
        given.secret.present = change.present;
        if (change.value) given.secret.value.emplace(*change.value);
    }

    void read_apple_key()
    {
        for (auto const* name : {"teamId", "keyId"})
            store(name, f.text(name, 1, max_apple_id));
        read_secret("privateKey", max_private_key);
        if (!given.secret.value) return;
        try {
            crypto::SigningKey::from_pem(given.secret.value->reveal());
        } catch (std::invalid_argument const&) {
            f.fault(
                "privateKey", "format", "must be the text of the .p8 file from Apple: a P-256 key in PEM");
        }
    }

    GivenProvider read()
    {
        read_name();
        if (!is_given(f, "clientId")) {
            read_token_issuer();
            return std::move(given);
        }
        auto const type = f.optional_one_of<ProviderType>("type").value_or(ProviderType::oidc);
        store("type", std::string(to_string(type)));
        read_issuer(type);
        read_client(type);
        if (type == ProviderType::apple)
            read_apple_key();
        else
            read_secret("clientSecret", max_secret);
        return std::move(given);
    }
};

/// Adds a fault for each name that an earlier element has.
void require_unique_names(core::Fields& f, std::vector<GivenProvider> const& providers)
{
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < providers.size(); ++i) {
        auto const name = core::text_of(providers[i].entry, "name");
        if (!name.empty() && !names.insert(name).second)
            f.fault_at("identityProviders", i, "duplicate", "must not have a name that an earlier entry has");
    }
}

/// Whether a secret for `before` may be used for `after`.
bool is_same_recipient(json::object const& before, json::object const& after)
{
    static constexpr std::array<std::string_view, 5> members{
        "issuer", "clientId", "type", "authorizationEndpoint", "tokenEndpoint"};
    return std::ranges::all_of(members,
        [&](std::string_view name) { return core::text_of(before, name) == core::text_of(after, name); });
}

/// The sealed secret that a provider without a new one keeps; empty if there is none.
std::string kept_secret(json::array const& before, json::object const& entry)
{
    for (auto const& stored : before)
        if (is_same_recipient(stored.as_object(), entry))
            return std::string(core::text_of(stored.as_object(), sealed_secret_member));
    return {};
}

/// The member of a request that has the secret of this provider.
std::string_view secret_member(json::object const& entry)
{
    return core::text_of(entry, "type") == to_string(ProviderType::apple) ? "privateKey" : "clientSecret";
}

} // namespace

core::Change<std::vector<GivenProvider>> change_identity_providers(
    core::Fields& f, http_client::AddressPolicy const& addresses)
{
    if (!f.has("identityProviders")) return {};
    core::Change<std::vector<GivenProvider>> change{.present = true};
    auto const* items = f.optional_array("identityProviders", max_providers);
    if (items == nullptr) return change;
    auto& providers = change.value.emplace();
    for (auto const& item : *items) {
        core::Fields nested(item, "/identityProviders/" + std::to_string(providers.size()));
        providers.push_back(Reader{nested, addresses}.read());
        f.absorb(nested);
    }
    require_unique_names(f, providers);
    return change;
}

json::array store_identity_providers(std::vector<GivenProvider> const& given, json::array const& before,
    SecretSealing const& sealing, std::vector<core::FieldError>& faults)
{
    json::array list;
    for (auto const& provider : given) {
        json::object entry = provider.entry;
        std::string sealed;
        if (provider.secret.value)
            sealed = provider_secrets::seal(sealing.keyring, sealing.scope_id,
                IdentityProvider::from_json(entry).key(), *provider.secret.value);
        else if (!provider.secret.present)
            sealed = kept_secret(before, entry);
        bool const is_oidc = core::text_of(entry, "type") == to_string(ProviderType::oidc);
        if (sealed.empty() && entry.contains("clientId") && !is_oidc)
            faults.push_back({"/identityProviders/" + std::to_string(list.size()) + '/' +
                                  std::string(secret_member(entry)),
                "required", "is required, because no secret for this client and these endpoints is stored"});
        if (!sealed.empty()) entry[sealed_secret_member] = sealed;
        list.push_back(std::move(entry));
    }
    return list;
}

json::array shown_identity_providers(json::array const& stored)
{
    json::array shown;
    for (auto const& item : stored) {
        json::object provider = item.as_object();
        bool const has_secret = provider.erase(sealed_secret_member) > 0;
        if (provider.contains("clientId")) {
            bool const is_key = secret_member(provider) == "privateKey";
            provider[is_key ? "hasPrivateKey" : "hasClientSecret"] = has_secret;
        }
        shown.push_back(std::move(provider));
    }
    return shown;
}

} // namespace auth_mfa
