#pragma once

#include "core/scope.hpp"
#include "deps.hpp"
#include "domain/access.hpp"
#include "domain/settings.hpp"
#include "http/message.hpp"
#include "tenancy/directory.hpp"

namespace billing {

/// The settings of the request's tenant that decide access, from the Directory's cache. Throws
/// TENANT_NOT_FOUND or UNAVAILABLE as Directory::get.
inline asio::awaitable<AccessSettings> access_settings_of(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    co_return settings::access_settings(tenant->settings(core::Environment::production).document);
}

} // namespace billing
