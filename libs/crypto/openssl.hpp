#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

/// For the sources of this library only: owning pointers to OpenSSL objects.
namespace crypto::detail {

template <auto Free> struct Deleter {
    template <class T> void operator()(T* object) const noexcept { Free(object); }
};

template <class T, auto Free> using Owned = std::unique_ptr<T, Deleter<Free>>;

using Digest = Owned<EVP_MD, &EVP_MD_free>;
using DigestContext = Owned<EVP_MD_CTX, &EVP_MD_CTX_free>;
using Mac = Owned<EVP_MAC, &EVP_MAC_free>;
using MacContext = Owned<EVP_MAC_CTX, &EVP_MAC_CTX_free>;
using Cipher = Owned<EVP_CIPHER, &EVP_CIPHER_free>;
using CipherContext = Owned<EVP_CIPHER_CTX, &EVP_CIPHER_CTX_free>;
using Key = Owned<EVP_PKEY, &EVP_PKEY_free>;
using KeyContext = Owned<EVP_PKEY_CTX, &EVP_PKEY_CTX_free>;
using Signature = Owned<ECDSA_SIG, &ECDSA_SIG_free>;
using Number = Owned<BIGNUM, &BN_free>;
using Bio = Owned<BIO, &BIO_vfree>;

/// The bytes of `text`, in the type of OpenSSL's input parameters.
inline unsigned char const* in(std::string_view text) noexcept
{
    return reinterpret_cast<unsigned char const*>(text.data());
}

/// The bytes of `text` from `offset` on, in the type of OpenSSL's output parameters.
inline unsigned char* out(std::string& text, std::size_t offset = 0) noexcept
{
    return reinterpret_cast<unsigned char*>(text.data()) + offset;
}

/// Throws if `ok` is false. For calls that fail only if memory or an algorithm is missing.
inline void require(bool ok, char const* call)
{
    if (!ok) throw std::runtime_error(std::string("OpenSSL: ") + call + " failed");
}

} // namespace crypto::detail
