#pragma once

#include "core/secret.hpp"
#include "crypto/hash.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace auth {

/// The operator's key. Two may be valid at once, so that it can be changed without an interruption. Any text
/// will do but one that has the form of an API key or of a JWT, which would be taken for one.
class MasterKey {
public:
    /// Either may be empty, which matches nothing. Only digests are kept.
    explicit MasterKey(core::Secret const& current, core::Secret const& previous = {});

    /// Whether `candidate` is one of them. Takes the same time whatever is wrong with it.
    bool matches(std::string_view candidate) const;

private:
    std::array<std::optional<crypto::Digest>, 2> digests_;
};

} // namespace auth
