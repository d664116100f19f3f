#include "crypto/aes_gcm.hpp"

#include "crypto/openssl.hpp"

#include <openssl/err.h>

#include <limits>
#include <stdexcept>

namespace crypto::aes_gcm {

namespace {

using detail::in, detail::out;

detail::Cipher fetch(char const* name)
{
    detail::Cipher fetched(EVP_CIPHER_fetch(nullptr, name, nullptr));
    detail::require(fetched != nullptr, "EVP_CIPHER_fetch");
    return fetched;
}

EVP_CIPHER const* cipher_for(std::string_view key)
{
    static detail::Cipher const aes_128 = fetch("AES-128-GCM");
    static detail::Cipher const aes_256 = fetch("AES-256-GCM");
    if (key.size() == 16) return aes_128.get();
    if (key.size() == 32) return aes_256.get();
    throw std::invalid_argument("an AES key has 16 or 32 bytes");
}

/// Converts the size to an int, which OpenSSL requires.
int int_size(std::string_view text)
{
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 2)
        throw std::length_error("too long to be encrypted");
    return static_cast<int>(text.size());
}

/// Returns a context for one value that has already processed the additional data. `encrypts` is 1 to encrypt
/// and 0 to decrypt.
detail::CipherContext start(int encrypts, std::string_view key, std::string_view nonce, std::string_view aad)
{
    if (nonce.size() != nonce_size) throw std::invalid_argument("the nonce of AES-GCM has 12 bytes");
    detail::CipherContext context(EVP_CIPHER_CTX_new());
    int taken = 0;
    detail::require(
        context &&
            EVP_CipherInit_ex2(context.get(), cipher_for(key), in(key), in(nonce), encrypts, nullptr) == 1 &&
            (aad.empty() || EVP_CipherUpdate(context.get(), nullptr, &taken, in(aad), int_size(aad)) == 1),
        "AES-GCM");
    return context;
}

} // namespace

std::string encrypt(
    std::string_view key, std::string_view nonce, std::string_view plaintext, std::string_view aad)
{
    detail::CipherContext const context = start(1, key, nonce, aad);
    std::size_t const end = plaintext.size();
    std::string box(end + tag_size, '\0');
    int written = 0;
    detail::require(
        (plaintext.empty() ||
            EVP_CipherUpdate(context.get(), out(box), &written, in(plaintext), int_size(plaintext)) == 1) &&
            EVP_CipherFinal_ex(context.get(), out(box, end), &written) == 1 &&
            EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, tag_size, out(box, end)) == 1,
        "AES-GCM");
    return box;
}

std::optional<std::string> decrypt(
    std::string_view key, std::string_view nonce, std::string_view box, std::string_view aad)
{
    if (box.size() < tag_size) return std::nullopt;
    std::string_view const ciphertext = box.substr(0, box.size() - tag_size);
    std::string tag(box.substr(ciphertext.size()));
    detail::CipherContext const context = start(0, key, nonce, aad);
    std::string plaintext(ciphertext.size(), '\0');
    int written = 0;
    detail::require((ciphertext.empty() || EVP_CipherUpdate(context.get(), out(plaintext), &written,
                                               in(ciphertext), int_size(ciphertext)) == 1) &&
                        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, tag_size, tag.data()) == 1,
        "AES-GCM");
    unsigned char rest = 0;
    if (EVP_CipherFinal_ex(context.get(), &rest, &written) != 1) {
        // Plaintext that failed authentication must not remain in memory, not even in freed memory.
        OPENSSL_cleanse(plaintext.data(), plaintext.size());
        ERR_clear_error();
        return std::nullopt;
    }
    return plaintext;
}

} // namespace crypto::aes_gcm
