#pragma once

#include "blobs/attachment_handlers.hpp"
#include "http/router.hpp"

#include <array>

namespace blobs {

/// Calls `handler` with the member `attachments` of the service's `Deps`.
template <class Deps, auto handler>
constexpr auto of_attachments =
    [](http::Request const& req, Deps& deps) { return handler(req, deps.attachments); };

/// The attachment routes of a service, for callers in `who`. `get_attachment` handles `GET
/// /v1/attachments/{attachmentId}`: it calls Attachments::get with the service's rule.
template <class Deps>
constexpr std::array<http::Route<Deps>, 4> attachment_routes(
    core::Access who, asio::awaitable<http::Response> (*get_attachment)(http::Request const&, Deps&))
{
    using enum http::Method;
    constexpr auto anyone = core::Access::anonymous;
    constexpr http::RouteOptions upload{.tenantless = true, .streams_body = true};
    return {{
        {post, "/v1/attachments/presign", who, of_attachments<Deps, presign>, http::idempotent},
        {get, "/v1/attachments/{attachmentId}", who, get_attachment},
        {put, "/uploads/{token}", anyone, of_attachments<Deps, put_upload>, upload},
        {get, "/downloads/{token}", anyone, of_attachments<Deps, get_download>, http::tenantless},
    }};
}

} // namespace blobs
