#include "api/client_body.hpp"

#include "core/fields.hpp"
#include "core/id.hpp"
#include "core/text.hpp"
#include "domain/client_keys.hpp"
#include "domain/redirect_uri.hpp"
#include "http_client/url.hpp"

#include <algorithm>
#include <array>

namespace auth_mfa {

namespace json = boost::json;

namespace {

constexpr std::size_t max_name = 100;
constexpr std::size_t max_uris = 20;

/// Records errors for URIs that a client of this type cannot have, and for repeated URIs.
void check_uris(core::Fields& f, std::string_view name, std::vector<std::string> const& uris, ClientType type)
{
    for (std::size_t i = 0; i < uris.size(); ++i) {
        auto const end = uris.begin() + static_cast<std::ptrdiff_t>(i);
        if (auto const fault = redirect_uri_fault(uris[i], type))
            f.fault_at(name, i, std::string(fault->code), std::string(fault->detail));
        else if (std::find(uris.begin(), end, uris[i]) != end)
            f.fault_at(name, i, "duplicate", "must not repeat an earlier URI");
    }
}

/// The URL to which the tokens of back-channel logout are sent.
void check_logout_uri(core::Fields& f, std::string const& uri, http_client::AddressPolicy const& addresses)
{
    constexpr std::string_view name = "backchannelLogoutUri";
    if (uri.find('#') != std::string::npos) f.fault(name, "fragment", "must have no fragment (#)");
    http_client::check_url(f, name, uri, addresses);
}

/// A body of POST or PATCH. A PATCH has only some members.
struct Wanted {
    std::optional<std::string> name;
    std::optional<std::vector<std::string>> redirect_uris, post_logout_redirect_uris;
    core::Change<std::string> backchannel_logout_uri;
    std::optional<crypto::SignatureAlgorithm> id_token_alg;
    core::Change<std::string> jwks;

    /// Sets the members of `client` that the request has.
    void apply(Client& client) const
    {
        client.name = name.value_or(client.name);
        client.redirect_uris = redirect_uris.value_or(client.redirect_uris);
        client.post_logout_redirect_uris =
            post_logout_redirect_uris.value_or(client.post_logout_redirect_uris);
        if (backchannel_logout_uri) client.backchannel_logout_uri = backchannel_logout_uri.value;
        client.id_token_alg = id_token_alg.value_or(client.id_token_alg);
        if (jwks) client.jwks = jwks.value;
        if (!client.jwks) return;
        client.secret_hash.reset();
        client.old_secret_hash.reset();
        client.old_secret_until.reset();
    }
};

std::optional<std::vector<std::string>> read_uris(core::Fields& f, std::string_view name, std::size_t min)
{
    if (!f.has(name)) return std::nullopt;
    auto uris = f.optional_list(name, max_uris, max_redirect_uri);
    if (f.ok() && uris.size() < min) f.fault(name, "too_few", "must have at least one URI");
    return uris;
}

/// Reads the members that POST and PATCH have in common.
Wanted read_common(core::Fields& f, http_client::AddressPolicy const& addresses)
{
    Wanted wanted;
    wanted.redirect_uris = read_uris(f, "redirectUris", 1);
    wanted.post_logout_redirect_uris = read_uris(f, "postLogoutRedirectUris", 0);
    wanted.backchannel_logout_uri = f.change_text("backchannelLogoutUri", 1, max_redirect_uri);
    if (wanted.backchannel_logout_uri.value)
        check_logout_uri(f, *wanted.backchannel_logout_uri.value, addresses);
    wanted.id_token_alg = f.optional_one_of<crypto::SignatureAlgorithm>("idTokenSigningAlg");
    wanted.jwks = {f.has("jwks"), read_client_keys(f, "jwks")};
    return wanted;
}

/// Records errors for members that a client of this type cannot have.
void check_for_type(core::Fields& f, Wanted const& wanted, ClientType type)
{
    if (wanted.redirect_uris) check_uris(f, "redirectUris", *wanted.redirect_uris, type);
    if (wanted.post_logout_redirect_uris)
        check_uris(f, "postLogoutRedirectUris", *wanted.post_logout_redirect_uris, type);
    if (wanted.jwks.value && type == ClientType::is_public)
        f.fault("jwks", "not_allowed", "must be absent: only confidential clients authenticate");
}

void check_id(core::Fields& f, std::string const& id)
{
    if (!is_client_id(id))
        f.fault("clientId", "format", "must consist of letters, digits and the characters . _ ~ -");
    else if (is_reserved_client_id(id))
        f.fault("clientId", "reserved",
            "must not begin with `tetrad`, and must not be `mfa-enrollment`, `feedback`, `notify` or "
            "`billing`");
}

} // namespace

Client read_new_client(json::value const& body, http_client::AddressPolicy const& addresses)
{
    core::Fields f(body);
    Wanted wanted = read_common(f, addresses);
    wanted.name = f.text("name", 1, max_name);
    Client client;
    client.type = f.one_of<ClientType>("type");
    if (!wanted.redirect_uris) f.fault("redirectUris", "required", "is required");
    if (auto const id = f.optional_text("clientId", 1, max_client_id)) check_id(f, client.id = *id);
    check_for_type(f, wanted, client.type);
    f.check();
    wanted.apply(client);
    if (client.id.empty()) client.id = core::Uuid::v7().to_string();
    return client;
}

void change_client(json::value const& body, http_client::AddressPolicy const& addresses, Client& client)
{
    core::Fields f(body);
    static constexpr std::array<std::string_view, 6> names{"name", "redirectUris", "postLogoutRedirectUris",
        "backchannelLogoutUri", "idTokenSigningAlg", "jwks"};
    Wanted wanted = read_common(f, addresses);
    if (f.has("name")) wanted.name = f.text("name", 1, max_name);
    if (f.has("type") && f.one_of<ClientType>("type") != client.type)
        f.fault("type", "immutable", "cannot change; create another client");
    check_for_type(f, wanted, client.type);
    f.check_any_of(names);
    wanted.apply(client);
}

} // namespace auth_mfa
