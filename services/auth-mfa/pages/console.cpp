#include "pages/console.hpp"

#include "config.hpp"
#include "console/page.hpp"
#include "domain/settings.hpp"
#include "tenancy/directory.hpp"
#include "tokens/tokens.hpp"

#include <string>

namespace auth_mfa::pages {

asio::awaitable<http::Response> get_console(http::Request const& req, Deps& deps)
{
    std::string path;
    for (auto const& [name, value] : req.params) {
        if (!path.empty()) path += '/';
        path += value;
    }
    co_return console::page(req, console::built_bundle(), deps.config.console, path);
}

asio::awaitable<http::Response> get_console_asset(http::Request const& req, Deps& /*deps*/)
{
    co_return console::asset(req, console::built_bundle(), req.param("file"));
}

asio::awaitable<http::Response> get_console_config(http::Request const& req, Deps& deps)
{
    auto const& scope = req.scope();
    auto const tenant = co_await deps.directory.get(scope.slug);
    auto const other = scope.environment() == core::Environment::sandbox ? core::Environment::production
                                                                         : core::Environment::sandbox;
    auto const& issuer = deps.tokens.issuer();
    co_return console::config(req, console::built_bundle(), deps.config.console,
        {.auth_url = issuer.of(scope),
            .other_url = issuer.of(tenant->scope(other)),
            .name = brand_of(*tenant, scope.environment())});
}

} // namespace auth_mfa::pages
