#include "domain/client_keys.hpp"

#include "crypto/jwt.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

namespace auth_mfa {

namespace {

namespace json = boost::json;

constexpr std::size_t max_kid = 255;

/// The members that only private and symmetric keys have (RFC 7518, 6).
constexpr std::array<std::string_view, 8> private_members{"d", "p", "q", "dp", "dq", "qi", "oth", "k"};

bool is_supported(json::object const& jwk)
{
    return crypto::PublicKey::from_jwk(jwk) || crypto::PublicKey::from_rsa_jwk(jwk);
}

/// The supported key with only the members that `is_supported` has checked.
json::object public_part(json::object const& jwk)
{
    using Names = std::initializer_list<std::string_view>;
    bool const is_rsa = jwk.at("kty") == "RSA";
    json::object out;
    for (auto const name : is_rsa ? Names{"kty", "kid", "use", "alg", "n", "e"}
                                  : Names{"kty", "kid", "use", "alg", "crv", "x", "y"})
        if (auto const* const value = jwk.if_contains(name)) out[name] = *value;
    return out;
}

/// Reads one key into `keys`. Errors are recorded in `f`, the reader of the set.
void read_key(core::Fields& f, json::value const& item, std::string pointer, json::array& keys,
    std::set<std::string>& ids)
{
    core::Fields key(item, std::move(pointer));
    std::string const kid = key.text("kid", 1, max_kid);
    if (key.ok()) {
        auto const& jwk = item.as_object();
        if (!ids.insert(kid).second) key.fault("kid", "duplicate", "must differ from the other keys");
        for (auto const name : private_members)
            if (jwk.contains(name)) key.fault(name, "not_allowed", "must be absent: send only public keys");
        if (key.ok() && !is_supported(jwk))
            key.fault("kty", "not_allowed",
                "must be that of a valid RSA key of 2048 to 8192 bits for RS256, or of a valid P-256 key for "
                "ES256; use, key_ops and alg must fit if they are present");
        if (key.ok()) keys.push_back(public_part(jwk));
    }
    f.absorb(key);
}

} // namespace

std::optional<std::string> read_client_keys(core::Fields& f, std::string_view name)
{
    auto const* const set = f.optional_object(name);
    if (set == nullptr) return std::nullopt;
    std::string const prefix = '/' + std::string(name);
    core::Fields nested(*set, prefix);
    json::array keys;
    auto const* const items = nested.optional_array("keys", max_client_keys);
    if (items == nullptr || items->empty())
        nested.fault("keys", "required", "must have at least one key");
    else {
        std::set<std::string> ids;
        for (std::size_t i = 0; i < items->size(); ++i)
            read_key(nested, (*items)[i], prefix + "/keys/" + std::to_string(i), keys, ids);
    }
    bool const valid = nested.ok();
    f.absorb(nested);
    return valid ? std::optional(json::serialize(json::object{{"keys", std::move(keys)}})) : std::nullopt;
}

} // namespace auth_mfa
