#include "state/keyed_hash.hpp"

#include "core/hex.hpp"
#include "crypto/hmac.hpp"

namespace auth_mfa {

namespace {

std::string joined(std::initializer_list<std::string_view> parts)
{
    std::string text;
    for (auto const part : parts)
        text.append(std::to_string(part.size())).append(":").append(part);
    return text;
}

std::string hash(core::Secret const& key, std::string_view text)
{
    return core::hex::encode(crypto::view(crypto::hmac_sha256(key.reveal(), text)));
}

} // namespace

KeyedHash::KeyedHash(crypto::Keyring const& keyring) : keys_(keyring.derive("auth-mfa.state")) {}

std::string KeyedHash::operator()(std::initializer_list<std::string_view> parts) const
{
    return hash(keys_.front(), joined(parts));
}

std::vector<std::string> KeyedHash::under_each(std::initializer_list<std::string_view> parts) const
{
    std::string const text = joined(parts);
    std::vector<std::string> hashes;
    hashes.reserve(keys_.size());
    for (core::Secret const& key : keys_)
        hashes.push_back(hash(key, text));
    return hashes;
}

} // namespace auth_mfa
