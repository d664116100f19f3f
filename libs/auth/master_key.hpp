#pragma once

#include "core/secret.hpp"
#include "crypto/hash.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace auth {

/// The operator's master key. Two keys may be valid at a time, so that the key can be replaced without an
/// interruption. A master key may be any text that does not have the form of an API key or of a JWT.
class MasterKey {
public:
    /// Either key may be empty; an empty key matches no candidate. This object stores only the digests of the
    /// keys.
    explicit MasterKey(core::Secret const& current, core::Secret const& previous = {});

    /// Whether `candidate` is one of the two keys. The duration of the call does not depend on their content.
    bool matches(std::string_view candidate) const;

private:
    std::array<std::optional<crypto::Digest>, 2> digests_;
};

} // namespace auth
