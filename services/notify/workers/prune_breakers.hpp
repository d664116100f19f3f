#pragma once
// Only CarrierState uses this header.

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/credential.hpp"
#include "domain/prune_breaker.hpp"

#include <boost/functional/hash.hpp>

#include <compare>
#include <cstddef>
#include <map>
#include <mutex>
#include <tuple>

namespace notify {

/// Identifies a stored credential.
struct CredentialVersion {
    core::ScopeId scope_id;
    Carrier carrier;
    core::Time updated_at;

    friend auto operator<=>(CredentialVersion const&, CredentialVersion const&) = default;

    /// For `boost::hash`.
    friend std::size_t hash_value(CredentialVersion const& v)
    {
        return boost::hash_value(std::tuple(v.scope_id, v.carrier, v.updated_at.time_since_epoch().count()));
    }
};

/// A PruneBreaker per credential, in the memory of this process. Each replica counts its own results, and
/// starts from zero after a restart. Storing a credential again, even the same credential, starts a new
/// breaker. Thread-safe.
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
