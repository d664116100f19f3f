#include "blobs/attachment_handlers.hpp"

#include "blobs/attachment_rows.hpp"
#include "blobs/content_disposition.hpp"
#include "blobs/filename.hpp"
#include "blobs/local_store.hpp"
#include "blobs/media_type.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "http/etag.hpp"
#include "http/range.hpp"
#include "idempotency/once.hpp"
#include "jobs/queue.hpp"
#include "tenancy/tenant_rows.hpp"

#include <exception>

namespace blobs {

namespace {

Attachment parse_presign(http::Request const& request, std::int64_t max_bytes)
{
    core::Fields f(request.json());
    Attachment a;
    a.filename = f.text("filename", 1, 255);
    if (!is_filename(a.filename)) {
        f.fault("filename", "format", "must not have path separators, control characters or direction marks");
    }
    a.content_type = media_types[f.one_of("contentType", media_types)];
    a.size_bytes = f.integer("sizeBytes", 1, max_bytes);
    f.check();
    return a;
}

core::Error no_such_url()
{
    return {core::codes::not_found, "This URL is unknown or has expired. Request a new one."};
}

constexpr char const* user_is_full =
    "Too many unattached uploads of this user. Attach or wait for older uploads to expire, "
    "or raise BLOB_UNATTACHED_LIMIT_PER_USER.";
constexpr char const* scope_is_full = "Too many unattached uploads. Attach or wait for older uploads to "
                                      "expire, or raise BLOB_UNATTACHED_LIMIT.";

void insert_within_limits(pg::Tx& tx, Attachment const& attachment, AttachmentsOptions const& options)
{
    auto const verdict = attachment_rows::insert_within(tx, attachment,
        {.scope_bytes = options.max_unattached_bytes,
            .owner_bytes = options.max_unattached_bytes_per_user,
            .declared_since = attachment.created_at - options.upload_lifetime});
    if (verdict == attachment_rows::Unattached::fits) return;
    bool const of_user = verdict == attachment_rows::Unattached::owner_is_full;
    throw core::Error(too_many_uploads, of_user ? user_is_full : scope_is_full)
        .header("Retry-After", std::to_string(options.upload_lifetime.count()));
}

/// Throws TENANT_SUSPENDED for a suspended tenant. The gateway does not check this for upload and download
/// URLs, because they name no tenant.
void require_active(pg::Tx& tx, core::ScopeId scope_id)
{
    if (tenancy::tenant_rows::is_suspended(tx, core::tenant_of(scope_id)))
        throw core::Error(core::codes::tenant_suspended, "The tenant is suspended. Contact the operator.");
}

void check_head(http::Request const& request, Upload const& upload)
{
    auto const length = request.body_reader->length();
    if (!length)
        throw core::Error(core::codes::length_required,
            "The Content-Length header is missing. Send the length of the file.");
    if (*length != static_cast<std::uint64_t>(upload.size_bytes)) {
        throw core::Error::validation({{"Content-Length", "mismatch",
            "must be " + std::to_string(upload.size_bytes) + ", as declared in the presign request"}});
    }
    if (!is_media_type(request.header("Content-Type").value_or(""), upload.content_type)) {
        throw core::Error(core::codes::unsupported_media_type,
            "The Content-Type must be " + upload.content_type + ", as declared in the presign request.");
    }
}

/// Throws unless the attachment waits for its upload: TENANT_SUSPENDED if the tenant is suspended, NOT_FOUND
/// if the attachment does not exist, CONFLICT if it was uploaded already.
asio::awaitable<void> check_waiting(Attachments& attachments, Key const& key)
{
    auto const attachment = co_await attachments.database().read(key.scope_id, [&](pg::Tx& tx) {
        require_active(tx, key.scope_id);
        return attachment_rows::find(tx, key.scope_id, key.attachment_id);
    });
    if (!attachment) throw no_such_url();
    if (attachment->state != State::presigned) {
        throw core::Error(core::codes::conflict, "This upload URL has been used already. Request a new one.");
    }
}

asio::awaitable<void> copy_body(
    http::BodyReader& body, Upload const& upload, LocalStore::Incoming& incoming, core::Clock const& clock)
{
    auto const size = static_cast<std::uint64_t>(upload.size_bytes);
    std::uint64_t received = 0;
    for (auto piece = co_await body.read_some(); !piece.empty(); piece = co_await body.read_some()) {
        // The server limits the time of each read. This check limits the time of the whole upload.
        if (clock.now() >= upload.expires)
            throw core::Error(
                core::codes::request_timeout, "The upload URL expired during the upload. Request a new one.");
        received += piece.size();
        co_await incoming.write(piece);
    }
    if (received != size) {
        throw core::Error::validation({{"Content-Length", "mismatch", "must be the length of the body"}});
    }
}

/// Stores the body durably as a new version. After a failure, removes the blob and rethrows the exception.
asio::awaitable<void> store_body(
    http::BodyReader& body, Upload const& upload, LocalStore::Incoming& incoming, core::Clock const& clock)
{
    std::exception_ptr failure;
    try {
        co_await copy_body(body, upload, incoming, clock);
        co_await incoming.commit();
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    co_await incoming.discard();
    std::rethrow_exception(failure);
}

http::Response uploaded(Upload const& upload)
{
    core::JsonWriter w;
    w.begin_object()
        .member("attachmentId", upload.key.attachment_id.to_string())
        .member("contentType", upload.content_type)
        .member("sizeBytes", upload.size_bytes)
        .end_object();
    return http::Response::ok(std::move(w).str());
}

/// A response to a download, without a body. The version identifies the bytes in all download URLs of the
/// attachment, so a client can continue a download with a new URL.
http::Response downloaded(Download const& download, std::string_view tag)
{
    http::Response response;
    response.content_type = known_media_type(download.content_type);
    // The browser saves the file instead of rendering it in the origin of the service, and does not cache it.
    // The server adds `nosniff` to every response, so the browser uses the declared type.
    response.headers = {{"Content-Disposition", content_disposition(download.filename)},
        {"Content-Security-Policy", "default-src 'none'; sandbox"}, {"Cache-Control", "private, no-store"},
        {"Accept-Ranges", "bytes"}, {"ETag", std::string(tag)}};
    return response;
}

} // namespace

asio::awaitable<http::Response> presign(http::Request const& request, Attachments& attachments)
{
    Attachment attachment = parse_presign(request, attachments.options().max_bytes);
    attachment.scope_id = request.scope().id;
    attachment.id = core::Uuid::v7();
    attachment.created_at = attachments.now();
    if (request.caller().is_jwt()) attachment.owner.emplace(request.caller().id);

    core::Time const expires = attachment.created_at + attachments.options().upload_lifetime;
    core::Time const kept_until = attachment.created_at + attachments.options().keep_unattached;
    Upload const upload{attachment.key(), attachment.size_bytes, attachment.content_type, expires};
    std::string const url = attachments.store().upload_url(upload, attachments.options().origin(request));
    auto work = [&](pg::Tx& tx) {
        insert_within_limits(tx, attachment, attachments.options());
        jobs::enqueue(tx, settle_queue, attachment.scope_id, attachment.id,
            attachments.first_settling(attachment.created_at));
        jobs::enqueue(tx, expire_queue, attachment.scope_id, attachment.id, kept_until);
        core::JsonWriter w(512 + url.size());
        w.begin_object()
            .member("attachmentId", attachment.id.to_string())
            .member("uploadUrl", url)
            .member("filename", attachment.filename)
            .member("contentType", attachment.content_type)
            .member("expiresAt", expires)
            .end_object();
        return http::Response::created(std::move(w).str());
    };
    co_return co_await idempotency::once(attachments.database(), request, std::move(work));
}

asio::awaitable<http::Response> put_upload(http::Request const& request, Attachments& attachments)
{
    LocalStore* const store = attachments.store().local();
    auto const opened = store == nullptr ? std::nullopt : store->verify_upload(request.param("token"));
    if (!opened) throw no_such_url();
    Upload const& upload = *opened;
    co_await check_waiting(attachments, upload.key);
    check_head(request, upload);

    LocalStore::Incoming incoming = co_await store->receive(upload.key, upload.content_type);
    co_await store_body(*request.body_reader, upload, incoming, attachments.clock());
    // If `transact` throws, it is unknown whether the transaction was committed. The blob is kept, because
    // the row may refer to it. If the row does not, the expire job removes the blob.
    bool const first = co_await attachments.database().transact(upload.key.scope_id,
        [&](pg::Tx& tx) { return attachment_rows::mark_uploaded(tx, incoming.key(), attachments.now()); });
    if (!first) {
        co_await incoming.discard();
        co_await check_waiting(attachments, upload.key);
        throw core::Error(core::codes::conflict, "This upload URL has been used already. Request a new one.");
    }
    co_return uploaded(upload);
}

asio::awaitable<http::Response> get_download(http::Request const& request, Attachments& attachments)
{
    LocalStore* const store = attachments.store().local();
    auto const download = store == nullptr ? std::nullopt : store->verify_download(request.param("token"));
    if (!download) throw no_such_url();
    auto const scope_id = download->key.scope_id;
    co_await attachments.database().read(scope_id, [&](pg::Tx& tx) { require_active(tx, scope_id); });
    auto blob = co_await store->send(download->key, download->size_bytes);
    if (!blob) throw no_such_url();

    auto const size = static_cast<std::uint64_t>(download->size_bytes);
    std::string const tag = http::etag(download->key.version);
    http::check_if_match(request, tag);
    http::Response response = downloaded(*download, tag);
    if (http::is_not_modified(request, tag)) {
        response.status = 304;
        co_return response;
    }
    response.stream_length = size;
    if (auto const range = http::requested_range(request, size, tag)) {
        blob->limit(range->first, range->length);
        response.status = 206;
        response.stream_length = range->length;
        response.headers.emplace_back("Content-Range", http::content_range(*range, size));
    }
    response.stream = [out = std::move(*blob)] { return out.next(); };
    co_return response;
}

} // namespace blobs
