#pragma once

#include "core/fields.hpp"
#include "deps.hpp"
#include "domain/id_token.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <string>

/// Id tokens of external identity providers, as clients send them.
namespace auth_mfa {

/// A presented id token.
struct PresentedIdToken {
    std::string token;
    std::optional<std::string> nonce; ///< the nonce that the client sent to the provider

    /// Reads `idToken` and the optional `nonce`. Errors are collected in `fields`.
    static PresentedIdToken read(core::Fields& fields);

    /// Reads a body that has nothing else.
    static PresentedIdToken parse(http::Request const& req);
};

/// The identity in the token. Throws INVALID_CREDENTIALS if the token is refused. Each attempt counts against
/// the sign-in limit of the client's network. An attempt whose token is not refused is given back.
asio::awaitable<ExternalIdentity> require_identity(
    http::Request const& req, Deps& deps, PresentedIdToken const& presented);

/// Marks the token as used, in the transaction that makes the permitted change. Throws INVALID_CREDENTIALS
/// if it was used before.
void require_unused(pg::Tx& tx, http::Request const& req, ExternalIdentity const& identity);

} // namespace auth_mfa
