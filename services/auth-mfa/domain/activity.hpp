#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"

#include <string>

namespace auth_mfa {

/// An entry of an account's activity.
struct Activity {
    core::Uuid id;
    core::Time at;
    std::string type;   ///< such as `sign_in`
    std::string result; ///< `success`, or the reason of a refusal
    std::string ip;
    std::string user_agent;
};

} // namespace auth_mfa
