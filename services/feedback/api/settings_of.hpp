#pragma once

#include "core/scope.hpp"
#include "deps.hpp"
#include "domain/settings.hpp"
#include "http/message.hpp"
#include "tenancy/directory.hpp"

namespace feedback {

/// The settings of the request's scope, from the Directory's cache. Throws TENANT_NOT_FOUND or UNAVAILABLE as
/// Directory::get.
inline asio::awaitable<FeedbackSettings> settings_of(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    co_return FeedbackSettings::of(tenant->settings(req.scope().environment()).document);
}

} // namespace feedback
