// The input is a key set. It is read as the key set of auth-mfa and as the key set of another issuer.
#include "crypto/encoding.hpp"
#include "crypto/jwt.hpp"
#include "fuzz.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>

using crypto::JwkSet, crypto::SignatureAlgorithm;
using fuzz::require;

namespace {

/// Returns nullopt if the text is not a key set. The parser must then throw std::invalid_argument.
std::optional<JwkSet> read(JwkSet (*parse)(std::string_view), std::string_view text)
{
    try {
        return parse(text);
    } catch (std::invalid_argument const&) {
        return std::nullopt;
    }
}

void check(JwkSet const& set)
{
    for (auto const& key : set.keys) {
        require(!key.kid().empty() && set.find(key.kid()) == &key); // ids are unique
        // The key can be used, and it does not verify a signature that it has not made.
        for (auto const* const algorithm : {"ES256", "RS256"}) {
            crypto::Jws const jws{{{"alg", algorithm}}, {}, "e30.e30", std::string(64, 'x')};
            require(!crypto::verify(key, jws));
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    auto const own = read(&crypto::parse_jwk_set, text), foreign = read(&crypto::parse_foreign_jwk_set, text);
    require(own.has_value() == foreign.has_value());
    if (!own) return 0;
    check(*own);
    check(*foreign);
    for (auto const& key : own->keys)
        require(key.algorithm() == SignatureAlgorithm::es256 && foreign->find(key.kid()) != nullptr);
    return 0;
}
