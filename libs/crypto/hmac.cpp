#include "crypto/hmac.hpp"

#include "crypto/openssl.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <array>

namespace crypto {

namespace {

detail::MacContext make_context(char const* digest)
{
    detail::Mac const mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
    detail::require(mac != nullptr, "EVP_MAC_fetch");
    detail::MacContext context(EVP_MAC_CTX_new(mac.get()));
    std::string name = digest;
    std::array const parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.data(), 0), OSSL_PARAM_construct_end()};
    detail::require(
        context && EVP_MAC_CTX_set_params(context.get(), parameters.data()) == 1, "EVP_MAC_CTX_set_params");
    return context;
}

template <class Out> Out run(EVP_MAC_CTX* context, std::string_view key, std::string_view data)
{
    // With a null key, OpenSSL would use the previous key of the context.
    auto const* key_bytes = reinterpret_cast<unsigned char const*>(key.empty() ? "" : key.data());
    auto const* data_bytes = reinterpret_cast<unsigned char const*>(data.data());
    Out digest; // NOLINT(cppcoreguidelines-pro-type-member-init): fully written below
    std::size_t size = 0;
    detail::require(EVP_MAC_init(context, key_bytes, key.size(), nullptr) == 1 &&
                        EVP_MAC_update(context, data_bytes, data.size()) == 1 &&
                        EVP_MAC_final(context, digest.data(), &size, digest.size()) == 1,
        "HMAC");
    return digest;
}

} // namespace

Digest hmac_sha256(std::string_view key, std::string_view data)
{
    thread_local detail::MacContext const context = make_context("SHA256");
    return run<Digest>(context.get(), key, data);
}

Sha1Digest hmac_sha1(std::string_view key, std::string_view data)
{
    thread_local detail::MacContext const context = make_context("SHA1");
    return run<Sha1Digest>(context.get(), key, data);
}

} // namespace crypto
