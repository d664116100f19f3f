#include "outbound_webhooks/signature.hpp"

#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"
#include "crypto/random.hpp"

#include <chrono>
#include <stdexcept>

namespace outbound_webhooks {

namespace {

constexpr std::string_view secret_prefix = "whsec_";
constexpr std::size_t secret_bytes = 32;

} // namespace

core::Secret new_secret()
{
    return core::Secret(
        std::string(secret_prefix) + crypto::base64::encode(crypto::random_bytes(secret_bytes)));
}

std::string timestamp_header(core::Time timestamp)
{
    return std::to_string(core::unix_seconds(timestamp));
}

std::string sign(core::Secret const& secret, std::string_view id, core::Time timestamp, std::string_view body)
{
    std::string_view const text = secret.reveal();
    auto key = text.starts_with(secret_prefix) ? crypto::base64::decode(text.substr(secret_prefix.size()))
                                               : std::nullopt;
    if (!key) throw std::invalid_argument("malformed webhook secret: it must be whsec_ and base64");
    core::Secret const key_bytes(std::move(*key));
    std::string signed_content;
    signed_content.reserve(id.size() + body.size() + 16);
    signed_content.append(id).append(1, '.').append(timestamp_header(timestamp)).append(1, '.').append(body);
    auto const digest = crypto::hmac_sha256(key_bytes.reveal(), signed_content);
    return "v1," + crypto::base64::encode(crypto::view(digest));
}

} // namespace outbound_webhooks
