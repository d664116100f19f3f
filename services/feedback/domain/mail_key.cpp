#include "domain/mail_key.hpp"

#include "core/hex.hpp"
#include "core/text.hpp"
#include "crypto/compare.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"

#include <algorithm>
#include <array>

namespace feedback {

namespace {

constexpr std::size_t id_size = 16, hash_size = 32, mac_size = 16; // of a token, in bytes

/// HMAC-SHA-256 for one purpose.
crypto::Digest mac(core::Secret const& key, std::string_view purpose, std::string_view data)
{
    return crypto::hmac_sha256(key.reveal(), std::string(purpose).append(":").append(data));
}

crypto::Digest address_mac(core::Secret const& key, std::string_view address)
{
    return mac(key, "address", core::lower(address));
}

} // namespace

std::string MailKey::hash_of(std::string_view address) const
{
    return core::hex::encode(crypto::view(address_mac(secret_, address)));
}

std::string MailKey::token(core::Uuid const& feedback_id, std::string_view address) const
{
    auto const& id = feedback_id.bytes();
    std::string content(id.begin(), id.end());
    content += crypto::view(address_mac(secret_, address));
    auto const signature = mac(secret_, "unsubscribe", content);
    return crypto::base64url::encode(content.append(crypto::view(signature).substr(0, mac_size)));
}

std::optional<MailKey::Recipient> MailKey::read(std::string_view token) const
{
    auto const bytes = crypto::base64url::decode(token);
    if (!bytes || bytes->size() != id_size + hash_size + mac_size) return std::nullopt;
    auto const content = std::string_view(*bytes).substr(0, id_size + hash_size);
    auto const signature = mac(secret_, "unsubscribe", content);
    if (!crypto::equal_constant_time(
            crypto::view(signature).substr(0, mac_size), std::string_view(*bytes).substr(content.size())))
        return std::nullopt;
    std::array<std::uint8_t, id_size> id{};
    std::ranges::transform(
        content.substr(0, id_size), id.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    return Recipient{core::Uuid::from_bytes(id), core::hex::encode(content.substr(id_size))};
}

} // namespace feedback
