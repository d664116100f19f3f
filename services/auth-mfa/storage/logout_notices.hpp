#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "crypto/jwt.hpp"
#include "domain/user_id.hpp"
#include "pg/sql.hpp"
#include "pg/tx.hpp"

#include <span>
#include <string>
#include <vector>

/// The table `logout_notices`: ended sessions of which a client has to be told. Each has a job in queue
/// `logout_notices`, whose ref is the session's id.
namespace auth_mfa::logout_notices {

inline constexpr char const* queue = "logout_notices";

/// The end of a statement whose CTE `ended` has the columns scope_id, session_id, user_id, client_id (NULL
/// for a browser's session) and parent_id of ended sessions. It stores the notices and enqueues their jobs. A
/// client gets a notice for its own ended sessions. When a browser's session ends, a client also gets notices
/// for its sessions that go on with a refresh token, because the client may have a session of its own in that
/// browser. Of many sessions of a client in one browser, the newest 50 count: a client that renews its
/// session silently knows only the last ones. The result is the number of rows of `ended`. For this folder
/// only.
inline constexpr auto add_for_ended = pg::sql(R"(
            noticed AS (
                INSERT INTO logout_notices (scope_id, session_id, client_id, user_id, expires_at)
                SELECT n.scope_id, n.session_id, n.client_id, n.user_id, jobs_now() + interval '1 day'
                FROM (
                    SELECT a.*,
                        row_number() OVER (
                            PARTITION BY a.client_id, a.parent_id
                            ORDER BY a.session_id DESC
                        ) AS place
                    FROM (
                        SELECT e.scope_id, e.session_id, e.client_id, e.user_id, e.parent_id
                        FROM ended e
                        WHERE e.client_id IS NOT NULL
                        UNION
                        SELECT s.scope_id, s.session_id, s.client_id, s.user_id, s.parent_id
                        FROM ended e
                        JOIN sessions s ON s.scope_id = e.scope_id AND s.parent_id = e.session_id
                        WHERE s.ended_at IS NULL
                    ) AS a
                    JOIN clients c ON c.scope_id = a.scope_id AND c.client_id = a.client_id
                    WHERE c.backchannel_logout_uri IS NOT NULL
                ) AS n
                WHERE n.place <= 50
                ORDER BY n.session_id
                ON CONFLICT (scope_id, session_id) DO NOTHING
                RETURNING scope_id, session_id
            ),
            queued AS (
                SELECT enqueue_jobs(
                    'logout_notices', array_agg(scope_id), array_agg(session_id),
                    array_agg(NULL::timestamptz)
                ) AS jobs
                FROM noticed
                HAVING count(*) > 0
            )
        SELECT (SELECT count(*) FROM ended), (SELECT jobs FROM queued))");

/// Stores the notices for every session of a user who is deleted in this transaction, and enqueues their
/// jobs.
void add_for_user(pg::Tx& tx, core::Scope const& scope, UserId user_id);

struct Key {
    core::ScopeId scope_id{};
    core::Uuid session_id;
};

/// A notice, and where to send it.
struct Notice {
    Key key;
    std::string client_id;
    UserId user_id;
    core::Time expires_at; ///< after this time it is given up
    std::string uri;       ///< the client's backchannelLogoutUri
    crypto::SignatureAlgorithm algorithm = crypto::SignatureAlgorithm::rs256; ///< of the client's tokens
};

/// The notices that exist and whose clients still have a URI.
std::vector<Notice> load(pg::Tx& tx, std::span<Key const> keys);

void remove(pg::Tx& tx, std::span<Key const> keys);

} // namespace auth_mfa::logout_notices
