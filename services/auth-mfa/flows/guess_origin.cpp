#include "flows/guess_origin.hpp"

#include "flows/sign_in.hpp"
#include "pg/database.hpp"
#include "storage/trusted_devices.hpp"
#include "storage/users.hpp"

namespace auth_mfa {

namespace {

/// `find_user(tx)` returns the user's id. It runs only if the request has a device's token.
template <class FindUser>
asio::awaitable<GuessOrigin> origin_of(http::Request const& req, Deps& deps, FindUser find_user)
{
    GuessOrigin origin{.address = req.remote_address};
    auto const device = device_token_of(req);
    if (!device) co_return origin;
    bool const trusted = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        return trusted_devices::is_trusted(tx, req.scope(), find_user(tx), *device, deps.clock.now());
    });
    if (trusted) origin.trusted_device = device->id;
    co_return origin;
}

} // namespace

asio::awaitable<GuessOrigin> guess_origin(http::Request const& req, Deps& deps, UserId user_id)
{
    co_return co_await origin_of(req, deps, [=](pg::Tx&) { return user_id; });
}

asio::awaitable<GuessOrigin> guess_origin_for_email(
    http::Request const& req, Deps& deps, std::string_view email)
{
    co_return co_await origin_of(req, deps, [&](pg::Tx& tx) {
        auto const user = users::find_by_email(tx, req.scope(), email);
        return user ? user->id : UserId();
    });
}

} // namespace auth_mfa
