#pragma once

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/secret.hpp"

#include <string>
#include <string_view>

namespace auth_mfa {

/// An email and a password.
struct Credentials {
    std::string email;
    core::Secret password;
};

/// Reads the field `email`, an address as web forms accept it (core::is_email). Errors are collected in
/// `fields`.
std::string read_email(core::Fields& fields);

/// Reads an existing password, which the caller compares: 1 to 128 characters.
core::Secret read_password(core::Fields& fields, std::string_view name);

/// Reads a new password: 8 to 128 characters, and not a common password (is_common_password).
core::Secret read_new_password(core::Fields& fields, std::string_view name);

/// The error for a wrong email or password.
core::Error invalid_credentials();

} // namespace auth_mfa
