#include "api/logo.hpp"

namespace feedback {

asio::awaitable<http::Response> put_logo(http::Request const& req, Deps& deps)
{
    hosted_pages::LogoApi const api{deps.db, deps.image_checks, deps.clock};
    co_return co_await hosted_pages::put_logo(req, api);
}

asio::awaitable<http::Response> delete_logo(http::Request const& req, Deps& deps)
{
    hosted_pages::LogoApi const api{deps.db, deps.image_checks, deps.clock};
    co_return co_await hosted_pages::delete_logo(req, api);
}

} // namespace feedback
