#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"

#include <optional>
#include <string>

namespace auth_mfa {

/// An external identity that is linked to a user.
struct LinkedIdentity {
    core::Uuid id;
    std::string issuer;
    std::string subject;
    std::optional<std::string> email;     ///< the verified email when the identity was linked
    std::optional<core::Time> created_at; ///< nullopt for identities of earlier versions
};

} // namespace auth_mfa
