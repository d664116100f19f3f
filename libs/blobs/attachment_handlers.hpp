#pragma once

#include "blobs/attachments.hpp"
#include "http/message.hpp"

/// The handlers of attachments, except `GET /v1/attachments/{attachmentId}` (Attachments::get).
namespace blobs {

/// `POST /v1/attachments/presign {filename, contentType, sizeBytes}`, idempotent: 201 with `attachmentId`,
/// `uploadUrl`, `filename`, `contentType`, `expiresAt` (of the URL). TOO_MANY_UPLOADS with Retry-After if the
/// scope would exceed `max_unattached_bytes`, or the user `max_unattached_bytes_per_user`.
asio::awaitable<http::Response> presign(http::Request const& request, Attachments& attachments);

/// `PUT /uploads/{token}` (anonymous, tenantless, streams_body): stores the body as the upload for an upload
/// URL of LocalStore. Responses: 200; NOT_FOUND for an unknown, altered or expired URL; LENGTH_REQUIRED
/// without a length; VALIDATION_ERROR for a length other than the declared length, or for content that does
/// not fit the declared type (`fits_media_type`); UNSUPPORTED_MEDIA_TYPE for a type other than the declared
/// type; CONFLICT if the URL was used already or another PUT to the URL is running; REQUEST_TIMEOUT if the
/// URL expires during the upload; TENANT_SUSPENDED for a suspended tenant. After a refused or aborted upload,
/// the URL can be used again. Of several parallel PUTs, exactly one succeeds.
asio::awaitable<http::Response> put_upload(http::Request const& request, Attachments& attachments);

/// `GET /downloads/{token}` (anonymous, tenantless): streams the blob of a download URL of LocalStore,
/// or the part of it that the request's Range names (206). The ETag is strong: it names the version of the
/// blob. Responds with 304 if If-None-Match matches it, and with PRECONDITION_FAILED if If-Match does not.
/// Responds with RANGE_NOT_SATISFIABLE if the blob has no byte of the range, and with NOT_FOUND and
/// TENANT_SUSPENDED in the same cases as `put_upload`.
asio::awaitable<http::Response> get_download(http::Request const& request, Attachments& attachments);

} // namespace blobs
