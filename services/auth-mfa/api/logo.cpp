#include "api/logo.hpp"

#include "flows/signed_in_user.hpp"

namespace auth_mfa {

namespace {

constexpr auto may_change = core::Access::owner | core::Access::master;

hosted_pages::LogoApi api_of(Deps& deps)
{
    return {deps.db, deps.image_checks, deps.clock,
        [&deps](pg::Tx& tx, http::Request const& req) { require_role(tx, req, deps, may_change); }};
}

} // namespace

asio::awaitable<http::Response> put_logo(http::Request const& req, Deps& deps)
{
    auto const api = api_of(deps);
    co_return co_await hosted_pages::put_logo(req, api);
}

asio::awaitable<http::Response> delete_logo(http::Request const& req, Deps& deps)
{
    auto const api = api_of(deps);
    co_return co_await hosted_pages::delete_logo(req, api);
}

asio::awaitable<http::Response> get_logo(http::Request const& req, Deps& deps)
{
    co_return co_await hosted_pages::get_logo(req, deps.db);
}

} // namespace auth_mfa
