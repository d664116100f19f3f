#include "storage/users.hpp"

#include "core/text.hpp"
#include "pg/sql.hpp"
#include "storage/logout_notices.hpp"
#include "storage/user_rows.hpp"

namespace auth_mfa::users {

User read(pg::RowReader& r)
{
    User user;
    user.id = UserId(r.uuid());
    user.email = r.text();
    user.password_hash = r.optional_text();
    user.credentials_version = r.integer();
    user.role = r.one_of<Role>();
    user.status = r.one_of<UserStatus>();
    user.email_verified = r.boolean();
    user.phone = r.optional_text();
    user.phone_verified = r.boolean();
    user.phone_is_test = r.boolean();
    user.created_at = r.time();
    user.updated_at = r.time();
    user.totp = r.boolean();
    user.passkey = r.boolean();
    return user;
}

std::optional<User> insert(pg::Tx& tx, core::Scope const& scope, NewUser const& user)
{
    pg::lock_scope(tx, scope.id);
    auto const result = tx.run(pg::sql<columns>(R"(
        INSERT INTO users AS u (
            scope_id, user_id, email, email_key, password_hash, role, status, email_verified, created_at,
            updated_at
        )
        SELECT $1::bigint, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::text, $8::boolean, n.at, n.at
        FROM (SELECT clock_timestamp() AS at) AS n
        WHERE NOT EXISTS (
            SELECT
            FROM email_tokens t
            WHERE t.scope_id = $1 AND t.email_key = $4 AND t.purpose = 'revert_email'
                AND t.expires_at > jobs_now()
        )
        ON CONFLICT (scope_id, email_key) DO NOTHING
        RETURNING {columns})"),
        {scope.id, user.id, user.email, core::lower(user.email), user.password_hash, to_string(user.role),
            to_string(user.status), user.email_verified});
    return pg::read_first(result, read);
}

pg::Batch<std::optional<User>> find_batch(pg::BatchConnection& connection, std::span<Key const> keys)
{
    std::vector<pg::Param> const params{pg::column(keys, [](Key const& k) { return k.scope_id; }),
        pg::column(keys, [](Key const& k) { return k.id; })};
    static constexpr auto sql = pg::sql<columns>(R"(
        SELECT k.place, {columns}
        FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k(scope_id, user_id, place)
        CROSS JOIN LATERAL (
            SELECT *
            FROM users x
            WHERE x.scope_id = k.scope_id AND x.user_id = k.user_id
            LIMIT 1
        ) AS u)");
    auto const result = co_await connection.run(pg::scopes_of(keys), sql, params);
    co_return pg::read_in_input_order(result, keys.size(), read);
}

std::optional<User> find_by_email(pg::Tx& tx, core::Scope const& scope, std::string_view email)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM users u
        WHERE u.scope_id = $1 AND u.email_key = $2)"),
        {scope.id, core::lower(email)});
    return pg::read_first(result, read);
}

std::optional<User> lock(pg::Tx& tx, core::Scope const& scope, UserId id)
{
    // A second statement reads the user, because the columns of TOTP and passkeys come from other tables: a
    // statement that waited for the lock would see the state of these tables before the wait.
    tx.run("SELECT FROM users WHERE scope_id = $1 AND user_id = $2 FOR NO KEY UPDATE", {scope.id, id});
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM users u
        WHERE u.scope_id = $1 AND u.user_id = $2)"),
        {scope.id, id});
    return pg::read_first(result, read);
}

std::optional<User> find_signed_in(
    pg::Tx& tx, core::Scope const& scope, UserId id, core::Uuid session_id, core::Time now)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM users u
        JOIN sessions s ON s.scope_id = u.scope_id AND s.user_id = u.user_id
        WHERE u.scope_id = $1 AND u.user_id = $2 AND s.scope_id = $1 AND s.session_id = $3
            AND s.ended_at IS NULL AND s.expires_at > $4)"),
        {scope.id, id, session_id, now});
    return pg::read_first(result, read);
}

std::optional<User> lock_signed_in(
    pg::Tx& tx, core::Scope const& scope, UserId id, core::Uuid session_id, core::Time now)
{
    if (!lock(tx, scope, id)) return std::nullopt;
    return find_signed_in(tx, scope, id, session_id, now);
}

std::vector<User> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    static constexpr auto select = pg::sql<columns>(R"(
        SELECT {columns}
        FROM users u
        WHERE u.scope_id = $1)");
    pg::ParamList params{scope.id};
    std::string sql{std::string_view(select)};
    if (filter.email) sql += " AND u.email_key = " + params.add(core::lower(*filter.email));
    if (filter.part)
        sql += " AND position(" + params.add(core::lower(*filter.part)) + "::text IN u.email_key) > 0";
    if (filter.role) sql += " AND u.role = " + params.add(to_string(*filter.role));
    if (filter.status) sql += " AND u.status = " + params.add(to_string(*filter.status));
    std::string const at = params.add(paging::time_of(after));
    sql += " AND (u.created_at, u.user_id) < (" + at + "::timestamptz, " + params.add(paging::id_of(after)) +
           "::uuid) ORDER BY u.created_at DESC, u.user_id DESC LIMIT " + params.add(limit);
    return pg::read_rows(tx.run(sql, params), read);
}

bool is_reserved(pg::Tx& tx, core::Scope const& scope, std::string_view email, UserId except)
{
    return !tx.run(R"(
        SELECT
        FROM email_tokens
        WHERE scope_id = $1 AND email_key = $2 AND purpose = 'revert_email' AND user_id <> $3
            AND expires_at > jobs_now()
        LIMIT 1)",
                  {scope.id, core::lower(email), except})
                .empty();
}

bool set_password(
    pg::Tx& tx, core::Scope const& scope, UserId id, std::string_view hash, std::int64_t seen_version)
{
    auto const result = tx.run(
        R"(
        UPDATE users
        SET password_hash = $3, credentials_version = credentials_version + 1,
            updated_at = clock_timestamp()
        WHERE scope_id = $1 AND user_id = $2 AND credentials_version = $4)",
        {scope.id, id, hash, seen_version});
    return result.affected_rows() == 1;
}

bool replace_hash(
    pg::Tx& tx, core::Scope const& scope, UserId id, std::string_view seen, std::string_view hash)
{
    auto const result = tx.run(
        R"(
        UPDATE users
        SET password_hash = $4
        WHERE scope_id = $1 AND user_id = $2 AND password_hash = $3)",
        {scope.id, id, seen, hash});
    return result.affected_rows() == 1;
}

void increment_credentials_version(pg::Tx& tx, core::Scope const& scope, UserId id)
{
    tx.run(R"(
        UPDATE users
        SET credentials_version = credentials_version + 1
        WHERE scope_id = $1 AND user_id = $2)",
        {scope.id, id});
}

std::optional<User> set_role(pg::Tx& tx, core::Scope const& scope, UserId id, Role role)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        UPDATE users AS u
        SET role = $3, updated_at = clock_timestamp()
        WHERE u.scope_id = $1 AND u.user_id = $2
        RETURNING {columns})"),
        {scope.id, id, to_string(role)});
    return pg::read_first(result, read);
}

std::optional<User> set_status(pg::Tx& tx, core::Scope const& scope, UserId id, UserStatus status)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        UPDATE users AS u
        SET status = $3, credentials_version = credentials_version + 1, updated_at = clock_timestamp()
        WHERE u.scope_id = $1 AND u.user_id = $2
        RETURNING {columns})"),
        {scope.id, id, to_string(status)});
    return pg::read_first(result, read);
}

bool set_verified(pg::Tx& tx, core::Scope const& scope, UserId id, std::string_view email)
{
    auto const result = tx.run(R"(
        UPDATE users
        SET email_verified = true, updated_at = clock_timestamp()
        WHERE scope_id = $1 AND user_id = $2 AND email_key = $3 AND NOT email_verified)",
        {scope.id, id, core::lower(email)});
    return result.affected_rows() == 1;
}

bool set_email(pg::Tx& tx, core::Scope const& scope, UserId id, std::string_view email, bool verified)
{
    auto const result = tx.run(R"(
        UPDATE users
        SET email = $3, email_key = $4, email_verified = $5, credentials_version = credentials_version + 1,
            updated_at = clock_timestamp()
        WHERE scope_id = $1 AND user_id = $2
            AND NOT EXISTS (SELECT FROM users o WHERE o.scope_id = $1 AND o.email_key = $4 AND o.user_id <> $2))",
        {scope.id, id, email, core::lower(email), verified});
    return result.affected_rows() == 1;
}

void set_password_by_email(pg::Tx& tx, core::Scope const& scope, UserId id, std::string_view hash)
{
    tx.run(R"(
        UPDATE users
        SET password_hash = $3, email_verified = true,
            status = CASE status WHEN 'invited' THEN 'active' ELSE status END,
            credentials_version = credentials_version + 1, updated_at = clock_timestamp()
        WHERE scope_id = $1 AND user_id = $2)",
        {scope.id, id, hash});
}

bool has_other_owner(pg::Tx& tx, core::Scope const& scope, UserId id)
{
    return !tx.run(R"(
        SELECT
        FROM users
        WHERE scope_id = $1 AND role = 'owner' AND status = 'active' AND user_id <> $2
        LIMIT 1)",
                  {scope.id, id})
                .empty();
}

std::optional<User> find(pg::Tx& tx, core::Scope const& scope, UserId id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM users u
        WHERE u.scope_id = $1 AND u.user_id = $2)"),
        {scope.id, id});
    return pg::read_first(result, read);
}

void remove(pg::Tx& tx, core::Scope const& scope, UserId id)
{
    logout_notices::add_for_user(tx, scope, id);
    tx.run("DELETE FROM users WHERE scope_id = $1 AND user_id = $2", {scope.id, id});
}

void set_phone(pg::Tx& tx, core::Scope const& scope, UserId id, std::optional<std::string> const& phone,
    PhoneProof proof)
{
    tx.run(R"(
        UPDATE users
        SET phone = $3, phone_verified = $4, phone_is_test = $5, updated_at = clock_timestamp()
        WHERE scope_id = $1 AND user_id = $2)",
        {scope.id, id, phone, proof != PhoneProof::none, proof == PhoneProof::fixed_code});
}

} // namespace auth_mfa::users
