#pragma once

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/secret.hpp"
#include "flows/passwords.hpp"
#include "http/message.hpp"

#include <string>
#include <string_view>

namespace auth_mfa {

/// The email and the password of a new account.
struct Credentials {
    std::string email;
    core::Secret password;
};

/// Reads the field `email`, an address as web forms accept it (core::is_email). Errors are collected in
/// `fields`.
std::string read_email(core::Fields& fields);

/// Reads the email of a new account or the new email of an account: an address that mail can be sent to
/// (mail::Address). Errors are collected in `fields`.
std::string read_new_email(core::Fields& fields, std::string_view name = "email");

/// Reads a body that has only the field `email`.
std::string parse_email(http::Request const& req);

/// Reads an existing password, which the caller compares (is_password_of): 1 to 128 characters.
SentPassword read_password(core::Fields& fields, std::string_view name);

/// Reads a new password of 8 to 128 characters, and returns it in Normalization Form C. A weak password of at
/// most 16 bytes is an error (`too_weak`). The caller passes the result to `require_good_password`, which
/// checks the rest: it needs the account, and more time.
core::Secret read_new_password(core::Fields& fields, std::string_view name);

/// A token from an email and the password that it permits to set.
struct TokenAndPassword {
    std::string token;
    core::Secret password;

    /// Reads a body of `token` and the password in the field `name`.
    static TokenAndPassword parse(http::Request const& req, std::string_view name);
};

/// The error for a wrong email or password.
core::Error invalid_credentials();

} // namespace auth_mfa
