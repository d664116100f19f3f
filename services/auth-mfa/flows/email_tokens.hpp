#pragma once

#include "core/fields.hpp"
#include "deps.hpp"
#include "domain/email_token.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <string>

/// Requests with a token from an email.
namespace auth_mfa {

/// Reads the field `token`. Errors are collected in `fields`.
std::string read_token(core::Fields& fields);

/// Reads a body that has only the field `token`.
std::string parse_token(http::Request const& req);

/// The valid token with this purpose. Does not use it up. Throws TOKEN_EXPIRED if there is none.
asio::awaitable<EmailToken> require_token(
    http::Request const& req, Deps& deps, std::string const& token, TokenPurpose purpose);

/// Locks the scope and the token's user, and uses the token up. Returns the user. Throws TOKEN_EXPIRED if
/// another request used the token, or it was withdrawn. Call it first in the transaction that
/// makes the permitted change.
User use_token(pg::Tx& tx, http::Request const& req, EmailToken const& token);

} // namespace auth_mfa
