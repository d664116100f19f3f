#include "crypto/hash.hpp"

#include "crypto/openssl.hpp"

#include <span>

namespace crypto {

namespace {

// The callers keep the algorithm, because fetching it costs more than hashing a key.
void compute(detail::Digest const& algorithm, std::string_view data, std::span<std::uint8_t> digest)
{
    thread_local detail::DigestContext const context(EVP_MD_CTX_new());
    detail::require(EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr) == 1 &&
                        EVP_DigestUpdate(context.get(), data.data(), data.size()) == 1 &&
                        EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1,
        "EVP_Digest");
}

} // namespace

Digest sha256(std::string_view data)
{
    static detail::Digest const algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr));
    Digest digest; // NOLINT(cppcoreguidelines-pro-type-member-init): fully written below
    compute(algorithm, data, digest);
    return digest;
}

Sha1Digest sha1(std::string_view data)
{
    static detail::Digest const algorithm(EVP_MD_fetch(nullptr, "SHA1", nullptr));
    Sha1Digest digest; // NOLINT(cppcoreguidelines-pro-type-member-init): fully written below
    compute(algorithm, data, digest);
    return digest;
}

} // namespace crypto
