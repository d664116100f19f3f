#include "crypto/keyring.hpp"

#include "crypto/aes_gcm.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"
#include "crypto/random.hpp"

#include <algorithm>
#include <stdexcept>

namespace crypto {

namespace {

constexpr std::size_t key_size = 32; // AES-256
constexpr std::size_t max_id_size = 32;

/// Returns nonce, ciphertext and tag, concatenated.
std::string encrypt(std::string_view key, std::string_view plaintext, std::string_view aad)
{
    std::string nonce = random_bytes(aes_gcm::nonce_size);
    std::string const box = aes_gcm::encrypt(key, nonce, plaintext, aad);
    return std::move(nonce.append(box));
}

std::optional<std::string> decrypt(std::string_view key, std::string_view box, std::string_view aad)
{
    if (box.size() < aes_gcm::nonce_size) return std::nullopt;
    return aes_gcm::decrypt(key, box.substr(0, aes_gcm::nonce_size), box.substr(aes_gcm::nonce_size), aad);
}

bool is_id(std::string_view id)
{
    return !id.empty() && id.size() <= max_id_size && std::all_of(id.begin(), id.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
               c == '-';
    });
}

[[noreturn]] void refuse(std::size_t entry, char const* why)
{
    throw std::invalid_argument("key " + std::to_string(entry) + " " + why);
}

} // namespace

Keyring Keyring::parse(std::string_view text)
{
    Keyring ring;
    for (std::size_t entry = 1;; ++entry) {
        auto const comma = text.find(',');
        std::string_view const item = text.substr(0, comma);
        auto const colon = item.find(':');
        if (colon == std::string_view::npos) refuse(entry, "is not of the form id:base64");
        std::string_view const id = item.substr(0, colon);
        if (!is_id(id)) refuse(entry, "has an id that does not match [A-Za-z0-9_-]{1,32}");
        if (ring.find(id) != nullptr) refuse(entry, "has the id of an earlier key");
        auto bytes = base64::decode(item.substr(colon + 1));
        if (!bytes) refuse(entry, "is not valid base64");
        core::Secret secret(std::move(*bytes));
        if (secret.reveal().size() != key_size) refuse(entry, "is not 32 bytes long");
        ring.keys_.push_back({std::string(id), std::move(secret)});
        if (comma == std::string_view::npos) return ring;
        text.remove_prefix(comma + 1);
    }
}

std::string Keyring::seal(std::string_view plaintext, std::string_view aad) const
{
    Key const& key = keys_.front();
    return key.id + ":" + base64url::encode(encrypt(key.secret.reveal(), plaintext, aad));
}

std::optional<std::string> Keyring::open(std::string_view sealed, std::string_view aad) const
{
    auto const colon = sealed.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    Key const* key = find(sealed.substr(0, colon));
    if (key == nullptr) return std::nullopt;
    auto const box = base64url::decode(sealed.substr(colon + 1));
    if (!box) return std::nullopt;
    return decrypt(key->secret.reveal(), *box, aad);
}

bool Keyring::is_current(std::string_view sealed) const
{
    std::string const& id = keys_.front().id;
    return sealed.size() > id.size() && sealed.starts_with(id) && sealed[id.size()] == ':';
}

std::vector<core::Secret> Keyring::derive(std::string_view purpose) const
{
    std::vector<core::Secret> derived;
    derived.reserve(keys_.size());
    for (Key const& key : keys_)
        derived.emplace_back(std::string(view(hmac_sha256(key.secret.reveal(), purpose))));
    return derived;
}

Keyring::Key const* Keyring::find(std::string_view id) const noexcept
{
    auto const it = std::find_if(keys_.begin(), keys_.end(), [id](Key const& key) { return key.id == id; });
    return it == keys_.end() ? nullptr : &*it;
}

} // namespace crypto
