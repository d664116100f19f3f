#pragma once

#include "blobs/attachment.hpp"
#include "blobs/store.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/identity.hpp"
#include "http/message.hpp"
#include "jobs/worker.hpp"
#include "pg/database.hpp"
#include "pg/migrate.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobs {

/// The table `attachments`. Presigning also needs `jobs::migrations()` and `idempotency::migrations()`,
/// uploads and downloads through the service `tenancy::migrations()`.
pg::Component const& migrations();

/// The queue of the job that ends an attachment nobody used: enqueued at presign, run by `expire_handler`.
inline constexpr char const* expire_queue = "blobs.expire";

/// The queue of the job that looks what came of an upload URL: enqueued at presign, run by `settle_handler`.
/// It has a queue of its own, because the version before this one would remove uploaded attachments with it.
inline constexpr char const* settle_queue = "blobs.settle";

/// The attachments of the scope, or of one of its users, that wait to be attached take up all they may.
inline constexpr core::ErrorCode too_many_uploads{"TOO_MANY_UPLOADS", 429};

struct AttachmentsOptions {
    std::int64_t max_bytes = 26'214'400; ///< inclusive
    /// Of all attachments of a scope that are not attached (yet); one counts as 64 KiB at least. Declared
    /// bytes count for `upload_lifetime`, uploaded ones until they are attached or removed.
    std::int64_t max_unattached_bytes = std::int64_t{1} << 30;
    /// The same of each user, inside the scope's. Attachments that API keys and the master key presign have
    /// no user: the scope's limit alone holds for them.
    std::int64_t max_unattached_bytes_per_user = (std::int64_t{1} << 30) / 10;
    bool reusable =
        false; ///< whether an attachment that is in use may be claimed again; it stays with its first parent
    std::chrono::seconds upload_lifetime{15 * 60};
    std::chrono::seconds download_lifetime{5 * 60};
    std::chrono::seconds keep_declared{3600}; ///< without an upload, from the presign
    std::chrono::seconds keep_unattached{24 * 3600};
    /// Scheme and authority under which a request's client reaches the service, for addresses that lead back
    /// to it. Empty: `origin_from_host("http")`.
    std::function<std::string(http::Request const&)> origin;
};

/// `<scheme>://<Host of the request>`. The scheme is configuration, because only whoever runs the proxy in
/// front knows it. Throws BAD_REQUEST when the Host is not a host with an optional port.
std::function<std::string(http::Request const&)> origin_from_host(std::string scheme);

/// The service's rule about an attachment that is in use: whether the caller may read its parent. Asked about
/// users only, and never about what is internal.
using MayRead = std::function<asio::awaitable<bool>(Attachment const&)>;

/// The attachments of one service: rows in PostgreSQL, bytes in a BlobStore.
///
/// A blob is whole and durable before its row says `uploaded`, and a row is gone before its blob is. A crash
/// in between leaves bytes that no row speaks of; the job that was enqueued with the presign removes them.
class Attachments {
public:
    /// All of them outlive this object.
    Attachments(
        pg::Database& database, BlobStore& store, core::Clock const& clock, AttachmentsOptions options = {});

    /// The row; nullopt when the scope has none of that id. Where uploads pass the service by, asks for this
    /// one first.
    asio::awaitable<std::optional<Attachment>> find(std::int64_t scope_id, core::Uuid id);

    /// Learns which of `ids` have been uploaded, where uploads pass the service by; else does nothing. To be
    /// awaited before the transaction that claims them. Texts as the request gave them: what is no UUID is
    /// passed over.
    asio::awaitable<void> confirm_uploads(core::Scope const& scope, std::span<std::string const> ids);

    /// Attaches `ids` to `parent` in the caller's transaction, and yields them in that order. Role `user` may
    /// attach what it presigned itself, staff anything of the scope. All or none: throws VALIDATION_ERROR
    /// with a fault at `<pointer>/<i>` for each id that is no UUID (`format`), is there twice (`duplicate`),
    /// or cannot be attached (`not_attachable`: unknown, of another scope or user, not uploaded, or in use;
    /// these are not told apart). Of parallel claims exactly one succeeds.
    std::vector<Attachment> claim(pg::Tx& tx, core::Scope const& scope, std::span<std::string const> ids,
        core::Caller const& claimer, Parent const& parent, std::string_view pointer = "/attachmentIds");

    /// Answers `GET /v1/attachments/{attachmentId}`: `attachmentId`, `filename`, `contentType`, `sizeBytes`,
    /// `status`, `createdAt`, `uploadedAt`, and once it is uploaded `downloadUrl` and `expiresAt` (else
    /// null). Staff may read all, a user what it presigned and what `may_read` allows, never what is
    /// internal. Else NOT_FOUND.
    asio::awaitable<http::Response> show(http::Request const& request, MayRead may_read);

    /// Looks what came of an upload URL that is past its time, blocking. An attachment without an upload is
    /// removed `keep_declared` after its presign; until then this yields when to look again. nullopt: nothing
    /// is left to do. Where uploads pass the service by, learns of the upload. Can be repeated.
    std::optional<core::Time> settle(std::int64_t scope_id, core::Uuid const& id);

    /// When to call `settle` first for an attachment that was presigned at `presigned`.
    core::Time first_settling(core::Time presigned) const;

    /// Removes an attachment that was never attached, and of one that was whatever else was uploaded for it;
    /// blocking. Can be repeated.
    void expire(std::int64_t scope_id, core::Uuid const& id);

    /// Removes the blobs of a scope that is being erased, blocking; for tenancy::Eraser. Can be repeated.
    void erase_scope(core::Scope const& scope);

    pg::Database& database() noexcept { return database_; }

    BlobStore& store() noexcept { return store_; }

    core::Clock const& clock() const noexcept { return clock_; }

    core::Time now() const { return clock_.now(); }

    AttachmentsOptions const& options() const noexcept { return options_; }

private:
    asio::awaitable<void> confirm(UnseenUploads& uploads, Attachment const& attachment);

    pg::Database& database_;
    BlobStore& store_;
    core::Clock const& clock_;
    AttachmentsOptions options_;
};

/// The handler for a jobs::Worker on `expire_queue`. `attachments` outlives it.
jobs::Handler expire_handler(Attachments& attachments);

/// The handler for a jobs::Worker on `settle_queue`. `attachments` outlives it.
jobs::Handler settle_handler(Attachments& attachments);

/// `POST /v1/attachments/presign {filename, contentType, sizeBytes}`, idempotent: 201 with `attachmentId`,
/// `uploadUrl`, `filename`, `contentType`, `expiresAt` (of the address). TOO_MANY_UPLOADS with Retry-After
/// once the scope has `max_unattached_bytes`, or the user `max_unattached_bytes_per_user`.
asio::awaitable<http::Response> presign(http::Request const& request, Attachments& attachments);

/// `PUT /uploads/{token}` (anonymous, tenantless, streams_body): takes the bytes that an upload address of
/// LocalStore allows. 200; an address that is unknown, altered or past its time: NOT_FOUND; no length:
/// LENGTH_REQUIRED; another length, or first bytes that the type cannot have: VALIDATION_ERROR; another type:
/// UNSUPPORTED_MEDIA_TYPE; used already, or another PUT to it under way: CONFLICT; not at its end when the
/// address is at its own: REQUEST_TIMEOUT; a tenant that is suspended: TENANT_SUSPENDED. What is refused or
/// breaks off does not use the address up; of parallel PUTs exactly one succeeds.
asio::awaitable<http::Response> put_upload(http::Request const& request, Attachments& attachments);

/// `GET /downloads/{token}` (anonymous, tenantless): streams what a download address of LocalStore gives.
/// NOT_FOUND and TENANT_SUSPENDED as above.
asio::awaitable<http::Response> get_download(http::Request const& request, Attachments& attachments);

} // namespace blobs
