#pragma once

#include "docs/reference.hpp"
#include "http/router.hpp"

#include <array>

namespace docs {

/// A service's API reference, for everybody and on every host: the contract is the same for all tenants, and
/// says nothing of any.
template <class Deps, Reference const& (*reference)()>
inline constexpr auto routes = [] {
    using Answer = http::asio::awaitable<http::Response>;
    using enum http::Method;
    using http::tenantless;
    constexpr auto anyone = core::Access::anonymous;
    return std::to_array<http::Route<Deps>>({
        {get, "/docs", anyone, [](http::Request const&, Deps&) -> Answer { co_return reference().page(); },
            tenantless},
        {get, "/docs/openapi.json", anyone,
            [](http::Request const& req, Deps&) -> Answer { co_return reference().contract(req); },
            tenantless},
        {get, "/docs/redoc.js", anyone,
            [](http::Request const& req, Deps&) -> Answer { co_return Reference::script(req); }, tenantless},
    });
}();

} // namespace docs
