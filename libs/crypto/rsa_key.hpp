#pragma once

#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace crypto {

/// An RSA private key that signs tokens for the servers of other parties (RS256, RFC 7518, 3.3). Cheap to
/// copy. Thread-safe.
class RsaSigningKey {
public:
    /// Reads PEM (PKCS #8 or PKCS #1, not encrypted). Throws std::invalid_argument if `pem` is not an RSA
    /// private key of 2048 to 8192 bits. The message does not contain the key.
    static RsaSigningKey from_pem(std::string_view pem);

    /// Returns the signed token in compact serialisation. `header` holds the header members other than `alg`.
    /// Takes about 1 ms.
    std::string sign(boost::json::object header, boost::json::object const& payload) const;

private:
    explicit RsaSigningKey(std::shared_ptr<evp_pkey_st> key) noexcept : key_(std::move(key)) {}

    std::shared_ptr<evp_pkey_st> key_;
};

} // namespace crypto
