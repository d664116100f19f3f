#include "api/invitations.hpp"

#include "api/credentials.hpp"
#include "crypto/password.hpp"
#include "domain/errors.hpp"
#include "flows/account_events.hpp"
#include "flows/activity.hpp"
#include "flows/email_tokens.hpp"
#include "flows/sign_in.hpp"
#include "pg/database.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

asio::awaitable<SignedIn> accept_invited(http::Request const& req, Deps& deps)
{
    auto const accepted = TokenAndPassword::parse(req, "password");
    EmailToken const token = co_await require_token(req, deps, accepted.token, TokenPurpose::invitation);
    std::string const hash =
        co_await hash_counted(req, deps, {.password = accepted.password, .email = token.email});
    User const user = co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        User const invited = use_token(tx, req, token);
        if (invited.status != UserStatus::invited) throw token_expired();
        users::set_password_by_email(tx, req.scope(), invited.id, hash);
        User after = users::find(tx, req.scope(), invited.id).value();
        publish_user(tx, req, "user.updated", after);
        record(tx, req,
            {.user_id = after.id, .type = "invitation_accepted", .action = "user.invitation_accepted"});
        return after;
    });
    co_return co_await finish_sign_in(req, deps, user, {.amr = {"pwd"}, .status = 201});
}

asio::awaitable<http::Response> accept_invitation(http::Request const& req, Deps& deps)
{
    co_return respond_with_tokens(req, deps, co_await accept_invited(req, deps));
}

} // namespace auth_mfa
