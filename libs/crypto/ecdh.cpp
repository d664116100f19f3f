#include "crypto/ecdh.hpp"

#include "crypto/p256.hpp"
#include "crypto/pem.hpp"

#include <stdexcept>

namespace crypto {

namespace {

using detail::p256_size;

/// The public key at an uncompressed point; null if `bytes` are not a point on the curve.
detail::Key key_at(std::string_view bytes)
{
    if (bytes.size() != p256_point_size || bytes.front() != '\x04') return nullptr;
    return detail::p256_public_key(bytes.substr(1, p256_size), bytes.substr(1 + p256_size));
}

} // namespace

bool is_p256_point(std::string_view bytes)
{
    return key_at(bytes) != nullptr;
}

EcdhKey EcdhKey::generate()
{
    return EcdhKey(detail::p256_generate());
}

EcdhKey EcdhKey::from_pem(std::string_view pem)
{
    detail::Key key = detail::read_private_key(pem);
    if (!key || !detail::is_p256(key.get())) throw std::invalid_argument("not a P-256 private key in PEM");
    return EcdhKey(std::move(key));
}

std::string EcdhKey::public_point() const
{
    return detail::p256_uncompressed(key_.get());
}

std::optional<std::string> EcdhKey::agree(std::string_view peer) const
{
    detail::Key const other = key_at(peer);
    if (!other) return std::nullopt;
    detail::KeyContext const context(EVP_PKEY_CTX_new_from_pkey(nullptr, key_.get(), nullptr));
    std::string secret(p256_size, '\0');
    std::size_t size = secret.size();
    detail::require(context && EVP_PKEY_derive_init(context.get()) == 1 &&
                        EVP_PKEY_derive_set_peer(context.get(), other.get()) == 1 &&
                        EVP_PKEY_derive(context.get(), detail::out(secret), &size) == 1 && size == p256_size,
        "EVP_PKEY_derive");
    return secret;
}

} // namespace crypto
