#pragma once

#include "blobs/attachment.hpp"
#include "blobs/store.hpp"
#include "core/caller.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/scope.hpp"
#include "http/message.hpp"
#include "jobs/worker.hpp"
#include "pg/migrate.hpp"
#include "pg/tx.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pg {
class Database;
}

namespace blobs {

/// The table `attachments`. Presigning also needs `jobs::migrations()` and `idempotency::migrations()`;
/// uploads and downloads through the service also need `tenancy::migrations()`.
pg::Component const& migrations();

/// The queue of the job that deletes an unused attachment. `presign` enqueues the job; `expire_handler` runs
/// it.
inline constexpr char const* expire_queue = "blobs.expire";

/// The queue of the job that checks, after the upload URL has expired, whether the attachment was uploaded.
/// `presign` enqueues the job; `settle_handler` runs it. This queue is separate from `expire_queue`, because
/// processes of the previous version still run during an upgrade. They would treat these jobs as expiries and
/// remove uploaded attachments.
inline constexpr char const* settle_queue = "blobs.settle";

/// The unattached uploads of the scope, or of one of its users, have reached their limit.
inline constexpr core::ErrorCode too_many_uploads{"TOO_MANY_UPLOADS", 429};

struct AttachmentsOptions {
    std::int64_t max_bytes = 26'214'400; ///< maximum size of a file, inclusive
    /// Limit for all unattached attachments of a scope; each counts as at least 64 KiB. The declared bytes of
    /// an attachment count for `upload_lifetime`. Uploaded bytes count until the attachment is attached or
    /// removed.
    std::int64_t max_unattached_bytes = std::int64_t{1} << 30;
    /// The limit per user, in addition to the limit of the scope. Attachments that an API key or the master
    /// key presigned have no user, so only the limit of the scope applies to them.
    std::int64_t max_unattached_bytes_per_user = (std::int64_t{1} << 30) / 10;
    bool reusable =
        false; ///< whether an attached attachment may be attached again; it keeps its first parent
    std::chrono::seconds upload_lifetime{15 * 60};
    std::chrono::seconds download_lifetime{5 * 60};
    /// Time from the presign until an attachment without an upload is removed.
    std::chrono::seconds keep_declared{3600};
    /// Time from the presign until an attachment that is not attached is removed, even if it is uploaded.
    std::chrono::seconds keep_unattached{24 * 3600};
    /// Returns the scheme and authority with which the client of a request reaches the service
    /// (`https://demo.example.com`). Upload and download URLs of the service begin with this text. If
    /// `origin` is empty, `origin_from_host("http")` is used.
    std::function<std::string(http::Request const&)> origin;
};

/// The members of the response of `Attachments::get`, except the download URL and its expiry.
std::string metadata_json(Attachment const& attachment);

/// Returns `<scheme>://<Host of the request>`. The scheme is a setting, because a service behind a proxy
/// cannot know the scheme that the client used. The function throws BAD_REQUEST if the Host is not a host
/// with an optional port.
std::function<std::string(http::Request const&)> origin_from_host(std::string scheme);

/// The service's rule for an attached attachment: whether the caller may read its parent. Called only for
/// callers without `core::Access::staff`, and never for internal attachments.
using MayRead = std::function<asio::awaitable<bool>(Attachment const&)>;

/// Manages the attachments of one service: their rows in PostgreSQL and their bytes in a BlobStore.
///
/// A blob is complete and durable before its row says `uploaded`, and a row is deleted before its blob. A
/// crash between the two steps leaves bytes without a row. The job in `expire_queue` removes them.
class Attachments {
public:
    /// All references must outlive this object.
    Attachments(
        pg::Database& database, BlobStore& store, core::Clock const& clock, AttachmentsOptions options = {});

    /// Returns the row; nullopt if the scope has no attachment with that id. If clients upload
    /// directly to the store, `find` first asks the store whether the attachment was uploaded.
    asio::awaitable<std::optional<Attachment>> find(core::ScopeId scope_id, core::Uuid id);

    /// If clients upload directly to the store, asks the store which of `ids` have been uploaded and records
    /// these uploads. Otherwise does nothing. Await this function before the transaction that attaches `ids`.
    /// `ids` are texts from the request; texts that are not UUIDs are skipped.
    asio::awaitable<void> confirm_uploads(core::Scope const& scope, std::span<std::string const> ids);

    /// Attaches `ids` to `parent` in the caller's transaction and returns them in the order of `ids`. Callers
    /// with the role `user` may attach attachments that they presigned; `core::Access::staff` may attach any
    /// attachment of the scope. Attaches all of `ids` or none. Throws VALIDATION_ERROR with an error at
    /// `/attachmentIds/<i>` for each id that is not a UUID (`format`), is repeated (`duplicate`), or cannot
    /// be attached (`not_attachable`). The code `not_attachable` means that the attachment is unknown,
    /// belongs to another scope or user, is not uploaded, or is in use; the error does not say which. Exactly
    /// one of several parallel calls succeeds.
    std::vector<Attachment> attach(pg::Tx& tx, core::Scope const& scope, std::span<std::string const> ids,
        core::Caller const& caller, Parent const& parent);

    /// Responds to `GET /v1/attachments/{attachmentId}`: `attachmentId`, `filename`, `contentType`,
    /// `sizeBytes`, `status`, `createdAt`, `uploadedAt`, `downloadUrl` and `expiresAt`; the last two are null
    /// before the upload. `core::Access::staff` may read all attachments. Other callers may read attachments
    /// that they presigned, and attached attachments that `may_read` allows, but no internal attachments.
    /// Otherwise throws NOT_FOUND.
    asio::awaitable<http::Response> get(http::Request const& request, MayRead may_read);

    /// Handles an attachment whose upload URL has expired. Blocking. If clients upload directly to the
    /// store, first asks the store for the upload and records it. Removes an attachment without an upload
    /// if `keep_declared` has passed since its presign. If the attachment's row was deleted, removes its
    /// blobs. Returns the time for the next call, or nullopt if nothing is left to do. May be repeated.
    std::optional<core::Time> settle(core::ScopeId scope_id, core::Uuid const& id);

    /// The time for the first call of `settle` for an attachment that was presigned at `presigned`.
    core::Time first_settling(core::Time presigned) const;

    /// Removes the attachment if it was never attached. If it is attached, keeps it, and removes all blobs of
    /// it except the valid one. Blocking. May be repeated.
    void expire(core::ScopeId scope_id, core::Uuid const& id);

    /// Removes the blobs of a scope that is being erased. Blocking. For tenancy::Eraser. May be repeated.
    void erase_scope(core::Scope const& scope);

    pg::Database& database() noexcept { return database_; }

    BlobStore& store() noexcept { return store_; }

    core::Clock const& clock() const noexcept { return clock_; }

    core::Time now() const { return clock_.now(); }

    AttachmentsOptions const& options() const noexcept { return options_; }

private:
    asio::awaitable<void> confirm(DirectUploads& uploads, Attachment const& attachment);

    pg::Database& database_;
    BlobStore& store_;
    core::Clock const& clock_;
    AttachmentsOptions options_;
};

/// The handler for a jobs::Worker on `expire_queue`. `attachments` must outlive it.
jobs::Handler expire_handler(Attachments& attachments);

/// The handler for a jobs::Worker on `settle_queue`. `attachments` must outlive it.
jobs::Handler settle_handler(Attachments& attachments);

} // namespace blobs
