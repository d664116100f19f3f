#include "api/audit.hpp"

#include "audit/audit.hpp"
#include "flows/signed_in_user.hpp"
#include "pg/database.hpp"

namespace auth_mfa {

asio::awaitable<http::Response> list_audit(http::Request const& req, Deps& deps)
{
    co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return require_role(tx, req, deps, core::Access::managers); });
    co_return co_await audit::list_audit(req, deps.db);
}

} // namespace auth_mfa
