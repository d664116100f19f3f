#include "storage/identities.hpp"

#include "pg/sql.hpp"
#include "storage/user_rows.hpp"

namespace auth_mfa::identities {

std::optional<User> find_user(
    pg::Tx& tx, core::Scope const& scope, std::string_view issuer, std::string_view subject)
{
    auto const result = tx.run(pg::sql<users::columns>(R"(
        SELECT {columns}
        FROM identities i
        JOIN users u ON u.scope_id = i.scope_id AND u.user_id = i.user_id
        WHERE i.scope_id = $1 AND u.scope_id = $1 AND i.issuer = $2 AND i.subject = $3)"),
        {scope.id, issuer, subject});
    return pg::read_first(result, users::read);
}

void insert(
    pg::Tx& tx, core::Scope const& scope, std::string_view issuer, std::string_view subject, UserId user_id)
{
    tx.run("INSERT INTO identities (scope_id, issuer, subject, user_id) VALUES ($1, $2, $3, $4)",
        {scope.id, issuer, subject, user_id});
}

} // namespace auth_mfa::identities
