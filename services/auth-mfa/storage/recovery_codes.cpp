#include "storage/recovery_codes.hpp"

#include "pg/row.hpp"

namespace auth_mfa::recovery_codes {

void replace(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::span<Hashed const> codes, core::Time now)
{
    remove_all(tx, scope, user_id);
    tx.run(R"(
        INSERT INTO recovery_codes (scope_id, user_id, locator, secret_hash, created_at)
        SELECT $1, $2, c.locator, c.secret_hash, $5
        FROM unnest($3::text[], $4::text[]) AS c (locator, secret_hash))",
        {scope.id, user_id, pg::column(codes, [](Hashed const& code) { return code.locator; }),
            pg::column(codes, [](Hashed const& code) { return code.secret_hash; }), now});
}

std::optional<std::string> find(
    pg::Tx& tx, core::Scope const& scope, UserId user_id, std::string_view locator)
{
    auto const result = tx.run(R"(
        SELECT secret_hash
        FROM recovery_codes
        WHERE scope_id = $1 AND user_id = $2 AND locator = $3 AND used_at IS NULL)",
        {scope.id, user_id, locator});
    return pg::read_first(result, &pg::RowReader::text);
}

bool use(pg::Tx& tx, core::Scope const& scope, UserId user_id, Hashed const& code, core::Time now)
{
    return !tx.run(R"(
        UPDATE recovery_codes
        SET used_at = $5
        WHERE scope_id = $1 AND user_id = $2 AND locator = $3 AND secret_hash = $4 AND used_at IS NULL
        RETURNING 1)",
                  {scope.id, user_id, code.locator, code.secret_hash, now})
                .empty();
}

std::int64_t count(pg::Tx& tx, core::Scope const& scope, UserId user_id)
{
    auto const result = tx.run(R"(
        SELECT count(*)
        FROM recovery_codes
        WHERE scope_id = $1 AND user_id = $2 AND used_at IS NULL)",
        {scope.id, user_id});
    return pg::RowReader(result[0]).integer();
}

void remove_all(pg::Tx& tx, core::Scope const& scope, UserId user_id)
{
    tx.run("DELETE FROM recovery_codes WHERE scope_id = $1 AND user_id = $2", {scope.id, user_id});
}

} // namespace auth_mfa::recovery_codes
