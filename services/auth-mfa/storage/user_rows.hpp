#pragma once

#include "domain/user.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

namespace auth_mfa::users {

/// The columns that `read` reads, as a SELECT list over a table or row named `u`. For this folder only.
inline constexpr auto columns = pg::sql(R"(
    u.user_id, u.email, u.password_hash, u.credentials_version, u.role, u.status, u.email_verified, u.phone,
    u.phone_verified, u.phone_is_test, u.created_at, u.updated_at,
    EXISTS (
        SELECT
        FROM totp t
        WHERE t.scope_id = u.scope_id AND t.user_id = u.user_id AND t.confirmed_at IS NOT NULL
    ),
    EXISTS (SELECT FROM passkeys p WHERE p.scope_id = u.scope_id AND p.user_id = u.user_id))");

/// Reads these columns and advances `r` past them.
User read(pg::RowReader& r);

} // namespace auth_mfa::users
