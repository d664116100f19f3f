#include "domain/vapid.hpp"

#include "core/fields.hpp"
#include "crypto/encoding.hpp"
#include "http_client/url.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace notify {

namespace {

constexpr std::string_view mailto = "mailto:";

VapidKey make(crypto::SigningKey key)
{
    auto pem = key.to_pem();
    auto public_key = crypto::base64url::encode(key.public_point());
    return {std::move(key), std::move(pem), std::move(public_key)};
}

} // namespace

VapidKey VapidKey::generate()
{
    return make(crypto::SigningKey::generate());
}

VapidKey VapidKey::restore(std::string_view pem)
{
    return make(crypto::SigningKey::from_pem(pem));
}

VapidKey const* VapidKeys::find(std::string_view public_key) const noexcept
{
    auto const it = std::ranges::find(keys, public_key, &VapidKey::public_key);
    return it == keys.end() ? nullptr : &*it;
}

bool is_vapid_subject(std::string const& text)
{
    bool const visible_ascii = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
    if (!visible_ascii || text.size() > max_vapid_subject) return false;
    if (text.starts_with(mailto)) return core::is_email(std::string_view(text).substr(mailto.size()));
    auto const url = http_client::parse_url(text);
    return url && url->scheme == "https" && !url->has_credentials;
}

std::string vapid_authorization(
    VapidKey const& key, std::string_view subject, std::string_view origin, core::Time expires)
{
    std::string const token = key.key.sign(
        {{"typ", "JWT"}}, {{"aud", origin}, {"exp", core::unix_seconds(expires)}, {"sub", subject}});
    return "vapid t=" + token + ", k=" + key.public_key;
}

} // namespace notify
