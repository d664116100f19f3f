#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace crypto {

/// The size of an uncompressed point of P-256 (SEC 1, 2.3.3): `0x04 || x || y`.
inline constexpr std::size_t p256_point_size = 65;

/// Whether `bytes` are an uncompressed point on P-256.
bool is_p256_point(std::string_view bytes);

/// A P-256 key pair for key agreements (ECDH, NIST SP 800-56A). Cheap to copy. Thread-safe.
class EcdhKey {
public:
    static EcdhKey generate();

    /// Reads PEM (PKCS #8 or SEC 1, not encrypted). Throws std::invalid_argument if `pem` is not a P-256
    /// private key. The message does not contain the key.
    static EcdhKey from_pem(std::string_view pem);

    /// The public key as an uncompressed point, `p256_point_size` bytes.
    std::string public_point() const;

    /// The shared secret with the owner of the public key `peer`: 32 bytes. Returns nullopt if `peer` is not
    /// an uncompressed point on P-256.
    std::optional<std::string> agree(std::string_view peer) const;

private:
    explicit EcdhKey(std::shared_ptr<evp_pkey_st> key) noexcept : key_(std::move(key)) {}

    std::shared_ptr<evp_pkey_st> key_;
};

} // namespace crypto
