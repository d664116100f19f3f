#pragma once
// Only the job handlers use this header.

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/carrier.hpp"

#include <boost/functional/hash.hpp>

#include <compare>
#include <cstddef>
#include <tuple>

namespace notify {

/// Identifies a stored credential.
struct CredentialVersion {
    core::ScopeId scope_id{};
    Carrier carrier{};
    core::Time updated_at;

    friend auto operator<=>(CredentialVersion const&, CredentialVersion const&) = default;

    /// For `boost::hash`.
    friend std::size_t hash_value(CredentialVersion const& v)
    {
        return boost::hash_value(std::tuple(v.scope_id, v.carrier, v.updated_at.time_since_epoch().count()));
    }
};

} // namespace notify
