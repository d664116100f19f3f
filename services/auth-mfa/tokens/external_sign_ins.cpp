#include "tokens/external_sign_ins.hpp"

#include "crypto/encoding.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace auth_mfa::external_sign_ins {

namespace {

std::string aad(core::Scope const& scope)
{
    return "auth-mfa.external_sign_in:" + core::to_string(scope.id);
}

} // namespace

std::string seal(crypto::Keyring const& keyring, core::Scope const& scope, ExternalSignIn const& sign_in)
{
    boost::json::object const object{{"provider", sign_in.provider}, {"name", sign_in.name},
        {"state", sign_in.state}, {"nonce", sign_in.nonce}, {"verifier", sign_in.verifier},
        {"next", sign_in.next}, {"purpose", to_string(sign_in.purpose)}, {"session", sign_in.session},
        {"fresh", sign_in.fresh}, {"begunAt", sign_in.begun_at.time_since_epoch().count()}};
    auto const sealed = keyring.seal(boost::json::serialize(object), aad(scope));
    return crypto::base64url::encode(sealed); // a cookie must not contain every character of `sealed`
}

std::optional<ExternalSignIn> open(
    crypto::Keyring const& keyring, core::Scope const& scope, std::string_view sealed, core::Time now)
{
    auto const decoded = crypto::base64url::decode(sealed);
    auto const plain = decoded ? keyring.open(*decoded, aad(scope)) : std::nullopt;
    if (!plain) return std::nullopt;
    auto const value = boost::json::parse(*plain);
    auto const text = [&](std::string_view name) { return std::string(value.at(name).as_string()); };
    ExternalSignIn sign_in{.provider = text("provider"),
        .name = text("name"),
        .state = text("state"),
        .nonce = text("nonce"),
        .verifier = text("verifier"),
        .next = text("next"),
        .purpose = core::parse_enum<ExternalPurpose>(text("purpose")).value(),
        .session = text("session"),
        .fresh = value.at("fresh").as_bool(),
        .begun_at = core::Time(std::chrono::microseconds(value.at("begunAt").as_int64()))};
    if (sign_in.expires_at() <= now) return std::nullopt;
    return sign_in;
}

} // namespace auth_mfa::external_sign_ins
