#include "auth/master_key.hpp"

#include "crypto/compare.hpp"

namespace auth {

namespace {

std::optional<crypto::Digest> digest_of(core::Secret const& secret)
{
    if (secret.empty()) return std::nullopt;
    return crypto::sha256(secret.reveal());
}

} // namespace

MasterKey::MasterKey(core::Secret const& current, core::Secret const& previous)
    : digests_{digest_of(current), digest_of(previous)}
{
}

bool MasterKey::matches(std::string_view candidate) const
{
    // The duration of the comparison must not depend on the content of the keys. So the loop does not end at
    // the first match. All digests have the same length.
    crypto::Digest const digest = crypto::sha256(candidate);
    bool found = false;
    for (auto const& known : digests_) {
        if (known && crypto::equal_constant_time(crypto::view(*known), crypto::view(digest))) found = true;
    }
    return found;
}

} // namespace auth
