#pragma once
// Only CarrierState uses this header.

#include "domain/prune_breaker.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace notify {

/// Identifies a stored credential: a number for its scope and carrier, and its `updated_at`.
using CredentialVersion = std::pair<std::int64_t, std::int64_t>;

/// A PruneBreaker per credential, in the memory of this process. Each replica counts its own results, and
/// starts from zero after a restart. Storing a credential again, even the same one, starts a new breaker.
/// Thread-safe.
class PruneBreakers {
public:
    /// Counts one push that the carrier answered. Returns true if this push trips the breaker.
    bool count(CredentialVersion const& credential, bool gone);

    /// Whether the carrier's responses for this credential may remove devices.
    bool may_prune(CredentialVersion const& credential) const;

private:
    mutable std::mutex mutex_;
    std::map<CredentialVersion, PruneBreaker> breakers_;
};

} // namespace notify
