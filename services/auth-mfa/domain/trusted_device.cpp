#include "domain/trusted_device.hpp"

#include "auth/token_claims.hpp"
#include "core/cookie.hpp"
#include "core/hex.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/random.hpp"
#include "domain/limits.hpp"

namespace auth_mfa {

namespace {

constexpr std::string_view cookie_name = "mfa_device";
constexpr std::size_t secret_bytes = 32;

} // namespace

DeviceToken DeviceToken::make()
{
    return {core::Uuid::v7(), crypto::base64url::encode(crypto::random_bytes(secret_bytes))};
}

std::optional<DeviceToken> DeviceToken::parse(std::string_view text)
{
    auto const dot = text.find('.');
    if (dot == text.npos) return std::nullopt;
    auto const id = core::Uuid::parse(text.substr(0, dot));
    auto const secret = crypto::base64url::decode(text.substr(dot + 1));
    if (!id || !secret || secret->size() != secret_bytes) return std::nullopt;
    return DeviceToken{*id, std::string(text.substr(dot + 1))};
}

std::optional<DeviceToken> DeviceToken::from_cookies(std::string_view header)
{
    auto const value = core::find_cookie(header, cookie_name);
    return value ? parse(*value) : std::nullopt;
}

std::string DeviceToken::text() const
{
    return id.to_string() + '.' + secret;
}

std::string DeviceToken::hash(core::Scope const& scope) const
{
    auto const digest =
        crypto::sha256("mfa_device\n" + core::to_string(scope.id) + '\n' + id.to_string() + '\n' + secret);
    return core::hex::encode(crypto::view(digest));
}

std::string device_cookie(DeviceToken const& token, std::string_view host, bool cross_site)
{
    std::string cookie(cookie_name);
    cookie.append("=").append(token.text());
    cookie.append("; Path=/; Max-Age=")
        .append(std::to_string(std::chrono::seconds(trusted_device_lifetime).count()))
        .append("; HttpOnly");
    if (cross_site) return cookie + "; SameSite=None; Secure; Partitioned";
    cookie += "; SameSite=Lax";
    if (!auth::token::is_local(host)) cookie += "; Secure";
    return cookie;
}

} // namespace auth_mfa
