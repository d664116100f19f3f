#pragma once

#include "docs/reference.hpp"
#include "http/router.hpp"

#include <array>

namespace docs {

/// The routes of a service's documentation. These routes need no credential and no tenant, because the
/// documentation is the same for all tenants.
template <class Deps, Reference const& (*reference)()>
inline constexpr auto routes = [] {
    using Answer = http::asio::awaitable<http::Response>;
    using enum http::Method;
    using http::tenantless;
    constexpr auto anyone = core::Access::anonymous;
    return std::to_array<http::Route<Deps>>({
        {get, "/", anyone,
            [](http::Request const& req, Deps&) -> Answer { co_return reference().front(req); }, tenantless},
        {get, "/docs", anyone,
            [](http::Request const& req, Deps&) -> Answer { co_return reference().page(req); }, tenantless},
        {get, "/docs/tutorial", anyone,
            [](http::Request const& req, Deps&) -> Answer { co_return reference().tutorial(req); },
            tenantless},
        {get, "/docs/pages.css", anyone,
            [](http::Request const& req, Deps&) -> Answer { co_return Reference::stylesheet(req); },
            tenantless},
        {get, "/docs/openapi.json", anyone,
            [](http::Request const& req, Deps&) -> Answer { co_return reference().contract(req); },
            tenantless},
        {get, "/docs/redoc.js", anyone,
            [](http::Request const& req, Deps&) -> Answer { co_return Reference::script(req); }, tenantless},
    });
}();

} // namespace docs
