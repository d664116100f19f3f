#include "crypto/keyring.hpp"

#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"
#include "crypto/openssl.hpp"
#include "crypto/random.hpp"

#include <openssl/err.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace crypto {

namespace {

using detail::in, detail::out;

constexpr std::size_t key_size = 32;
constexpr std::size_t nonce_size = 12;
constexpr std::size_t tag_size = 16;
constexpr std::size_t max_id_size = 32;

EVP_CIPHER const* cipher()
{
    static detail::Cipher const fetched(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr));
    detail::require(fetched != nullptr, "EVP_CIPHER_fetch");
    return fetched.get();
}

/// Converts the size to an int, which OpenSSL requires.
int int_size(std::string_view text)
{
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 2)
        throw std::length_error("too long to be sealed");
    return static_cast<int>(text.size());
}

/// Returns a context for one value that has already processed the additional data. `encrypt` is 1 to encrypt
/// and 0 to decrypt.
detail::CipherContext start(int encrypt, std::string_view key, std::string_view nonce, std::string_view aad)
{
    detail::CipherContext context(EVP_CIPHER_CTX_new());
    int taken = 0;
    detail::require(
        context && EVP_CipherInit_ex2(context.get(), cipher(), in(key), in(nonce), encrypt, nullptr) == 1 &&
            (aad.empty() || EVP_CipherUpdate(context.get(), nullptr, &taken, in(aad), int_size(aad)) == 1),
        "AES-256-GCM");
    return context;
}

/// Returns nonce, ciphertext and tag, concatenated.
std::string encrypt(std::string_view key, std::string_view plaintext, std::string_view aad)
{
    std::string const nonce = random_bytes(nonce_size);
    detail::CipherContext const context = start(1, key, nonce, aad);
    std::string box = nonce;
    box.resize(nonce_size + plaintext.size() + tag_size);
    int written = 0;
    std::size_t const end = nonce_size + plaintext.size();
    detail::require(
        (plaintext.empty() || EVP_CipherUpdate(context.get(), out(box, nonce_size), &written, in(plaintext),
                                  int_size(plaintext)) == 1) &&
            EVP_CipherFinal_ex(context.get(), out(box, end), &written) == 1 &&
            EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, tag_size, out(box, end)) == 1,
        "AES-256-GCM");
    return box;
}

std::optional<std::string> decrypt(std::string_view key, std::string_view box, std::string_view aad)
{
    if (box.size() < nonce_size + tag_size) return std::nullopt;
    std::string_view const nonce = box.substr(0, nonce_size);
    std::string_view const ciphertext = box.substr(nonce_size, box.size() - nonce_size - tag_size);
    std::string tag(box.substr(box.size() - tag_size));
    detail::CipherContext const context = start(0, key, nonce, aad);
    std::string plaintext(ciphertext.size(), '\0');
    int written = 0;
    detail::require((ciphertext.empty() || EVP_CipherUpdate(context.get(), out(plaintext), &written,
                                               in(ciphertext), int_size(ciphertext)) == 1) &&
                        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, tag_size, tag.data()) == 1,
        "AES-256-GCM");
    unsigned char rest = 0;
    if (EVP_CipherFinal_ex(context.get(), &rest, &written) != 1) {
        // Plaintext that failed authentication must not remain in memory, not even in freed memory.
        OPENSSL_cleanse(plaintext.data(), plaintext.size());
        ERR_clear_error();
        return std::nullopt;
    }
    return plaintext;
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
