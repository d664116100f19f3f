#pragma once

#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace crypto {

/// An RSA private key that signs tokens for other issuers' servers (RS256, RFC 7518, 3.3). Cheap to copy;
/// safe to share between threads.
class RsaSigningKey {
public:
    /// Reads PEM (PKCS #8 or PKCS #1, not encrypted). Throws std::invalid_argument, without any of the text,
    /// when it is not an RSA private key of 2048 to 8192 bits.
    static RsaSigningKey from_pem(std::string_view pem);

    /// The compact serialisation, signed. `header` holds what it is to say besides `alg`. Takes about a
    /// millisecond.
    std::string sign(boost::json::object header, boost::json::object const& payload) const;

private:
    explicit RsaSigningKey(std::shared_ptr<evp_pkey_st> key) noexcept : key_(std::move(key)) {}

    std::shared_ptr<evp_pkey_st> key_;
};

} // namespace crypto
