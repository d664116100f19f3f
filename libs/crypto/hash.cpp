#include "crypto/hash.hpp"

#include "crypto/openssl.hpp"

namespace crypto {

Digest sha256(std::string_view data)
{
    // Fetching the algorithm or creating a context costs more than hashing a key.
    static detail::Digest const algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr));
    thread_local detail::DigestContext const context(EVP_MD_CTX_new());
    Digest digest; // NOLINT(cppcoreguidelines-pro-type-member-init): fully written below
    detail::require(EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr) == 1 &&
                        EVP_DigestUpdate(context.get(), data.data(), data.size()) == 1 &&
                        EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1,
        "SHA-256");
    return digest;
}

} // namespace crypto
