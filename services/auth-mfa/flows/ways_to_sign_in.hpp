#pragma once

#include "deps.hpp"
#include "domain/user.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"
#include "tenancy/tenant.hpp"

namespace auth_mfa {

/// Whether the user has a way to sign in now: a password, a passkey for the tenant's present RP id, or an
/// identity of one of the tenant's identity providers. Passkeys and identities are read in this transaction.
bool can_sign_in(
    pg::Tx& tx, http::Request const& req, Deps const& deps, tenancy::Tenant const& tenant, User const& user);

} // namespace auth_mfa
