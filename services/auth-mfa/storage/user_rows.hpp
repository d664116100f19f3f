#pragma once

#include "domain/user.hpp"
#include "pg/row.hpp"

namespace auth_mfa::users {

/// The columns `read` reads, of a table or row named `u`, for a SELECT list. For the files of this folder.
#define AUTH_MFA_USER_COLUMNS                                                                                \
    "u.user_id, u.email, u.password_hash, u.credentials_version, u.role, u.phone, u.phone_verified, "        \
    "u.created_at, u.updated_at, "                                                                           \
    "EXISTS (SELECT FROM totp t WHERE t.scope_id = u.scope_id AND t.user_id = u.user_id "                    \
    "AND t.confirmed_at IS NOT NULL)"

/// Moves past those columns.
User read(pg::RowReader& r);

} // namespace auth_mfa::users
