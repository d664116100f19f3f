#pragma once

#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/sessions.hpp"

namespace auth_mfa::sessions {

/// The columns that `read_contents` reads, as a SELECT list over a session named `s` and its user named `u`.
/// Sessions of earlier versions have no authenticated_at and no aal2. For this folder only.
inline constexpr auto token_columns = pg::sql(R"(
    s.session_id, s.generation, s.amr, coalesce(s.authenticated_at, s.created_at),
    coalesce(s.aal2, 'mfa' = ANY (s.amr)), s.identity_provider, s.expires_at, coalesce(s.client_id, ''),
    coalesce(s.scope, ''), u.user_id, u.email, u.email_verified, u.role, u.updated_at)");

/// Whether the session `s` is of a client that got no refresh token. Such a session ends with its browser's.
/// For this folder only.
inline constexpr auto cannot_refresh = pg::sql(R"((s.client_id IS NOT NULL
            AND 'offline_access' <> ALL (string_to_array(s.scope, ' '))))");

/// Reads these columns and advances `r` past them.
TokenContents read_contents(pg::RowReader& r);

} // namespace auth_mfa::sessions
