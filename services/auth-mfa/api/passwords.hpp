#pragma once

#include "core/fields.hpp"
#include "core/secret.hpp"

#include <string>
#include <string_view>

namespace auth_mfa {

/// What somebody signs in with.
struct Credentials {
    std::string email;
    core::Secret password;
};

/// `email`: an address as web forms accept it; faults gather in `fields`.
std::string read_email(core::Fields& fields);

/// A password that somebody claims to have: 1 to 128 characters.
core::Secret read_password(core::Fields& fields, std::string_view name);

/// A password that is to be set: 8 to 128 characters, and none of the commonest.
core::Secret read_new_password(core::Fields& fields, std::string_view name);

} // namespace auth_mfa
