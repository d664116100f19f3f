#include "blobs/attachments.hpp"

#include "blobs/attachment_rows.hpp"
#include "blobs/media_type.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "core/wait.hpp"
#include "pg/database.hpp"

#include <algorithm>

namespace blobs {

namespace {

/// Delay of the first check after the upload URL has expired: an upload that began before the expiry may
/// still be in progress.
constexpr std::chrono::seconds settle_margin{60};

/// Whether `text` is a host with an optional port, as allowed in a URL (RFC 3986, 3.2.2 and 3.2.3).
bool is_authority(std::string_view text)
{
    constexpr std::string_view allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~[]:";
    return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

core::Error no_such_attachment()
{
    return {core::codes::not_found, "There is no attachment with this id that you may read."};
}

/// The parsed ids; nullopt for each text that is not a UUID.
std::vector<std::optional<core::Uuid>> parse_ids(std::span<std::string const> texts)
{
    std::vector<std::optional<core::Uuid>> ids;
    ids.reserve(texts.size());
    for (std::string const& text : texts)
        ids.push_back(core::Uuid::parse(text));
    return ids;
}

std::vector<core::Uuid> without_gaps(std::span<std::optional<core::Uuid> const> ids)
{
    std::vector<core::Uuid> present;
    for (auto const& id : ids) {
        if (id) present.push_back(*id);
    }
    return present;
}

void write_metadata(core::JsonWriter& w, Attachment const& attachment)
{
    w.member("attachmentId", attachment.id.to_string())
        .member("filename", attachment.filename)
        .member("contentType", attachment.content_type)
        .member("sizeBytes", attachment.size_bytes)
        .member("status", to_string(attachment.state))
        .member("createdAt", attachment.created_at)
        .member("uploadedAt", attachment.uploaded_at);
}

std::string to_json(
    Attachment const& attachment, std::optional<Download> const& download, std::string const& url)
{
    core::JsonWriter w(512 + url.size());
    w.begin_object();
    write_metadata(w, attachment);
    if (download) {
        w.member("downloadUrl", url).member("expiresAt", download->expires);
    } else {
        w.key("downloadUrl").null().key("expiresAt").null();
    }
    return std::move(w.end_object()).str();
}

} // namespace

std::string metadata_json(Attachment const& attachment)
{
    core::JsonWriter w(512);
    w.begin_object();
    write_metadata(w, attachment);
    return std::move(w.end_object()).str();
}

std::function<std::string(http::Request const&)> origin_from_host(std::string scheme)
{
    return [scheme = std::move(scheme)](http::Request const& request) {
        std::string_view const host = request.header("Host").value_or("");
        if (!is_authority(host))
            throw core::Error(
                core::codes::bad_request, "The Host header must be a host with an optional port.");
        return scheme + "://" + std::string(host);
    };
}

Attachments::Attachments(
    pg::Database& database, BlobStore& store, core::Clock const& clock, AttachmentsOptions options)
    : database_(database), store_(store), clock_(clock), options_(std::move(options))
{
    if (!options_.origin) options_.origin = origin_from_host("http");
}

asio::awaitable<std::optional<Attachment>> Attachments::find(core::ScopeId scope_id, core::Uuid id)
{
    auto look_up = [&](pg::Tx& tx) { return attachment_rows::find(tx, scope_id, id); };
    auto attachment = co_await database_.read(scope_id, look_up);
    DirectUploads* const uploads = store_.direct_uploads();
    if (uploads == nullptr || !attachment || attachment->state != State::presigned) co_return attachment;
    co_await confirm(*uploads, *attachment);
    co_return co_await database_.read(scope_id, look_up);
}

asio::awaitable<void> Attachments::confirm(DirectUploads& uploads, Attachment const& attachment)
{
    auto const stat = co_await uploads.stat(attachment.key());
    if (!stat || stat->size_bytes != attachment.size_bytes ||
        !fits_media_type(stat->content, attachment.content_type)) {
        co_return;
    }
    auto const version = co_await uploads.finalize(attachment.key(), *stat);
    if (!version) co_return;
    Key const key{attachment.scope_id, attachment.id, *version};
    // If another request has confirmed the upload in the meantime, the row names the copy of that request.
    // The expire job removes the copy made here.
    co_await database_.transact(
        attachment.scope_id, [&](pg::Tx& tx) { return attachment_rows::mark_uploaded(tx, key, now()); });
}

asio::awaitable<void> Attachments::confirm_uploads(core::Scope const& scope, std::span<std::string const> ids)
{
    DirectUploads* const uploads = store_.direct_uploads();
    if (uploads == nullptr || ids.empty()) co_return;
    auto const known = without_gaps(parse_ids(ids));
    auto const pending = co_await database_.read(
        scope, [&](pg::Tx& tx) { return attachment_rows::presigned(tx, scope.id, known); });
    for (Attachment const& attachment : pending)
        co_await confirm(*uploads, attachment);
}

std::vector<Attachment> Attachments::attach(pg::Tx& tx, core::Scope const& scope,
    std::span<std::string const> ids, core::Caller const& caller, Parent const& parent)
{
    if (ids.empty()) return {};
    auto const wanted = parse_ids(ids);
    std::optional<core::UserId> owner;
    if (!caller.is_staff()) owner.emplace(caller.id);
    auto const attached =
        attachment_rows::attach(tx, scope.id, without_gaps(wanted), owner, options_.reusable, parent, now());

    std::vector<Attachment> in_order;
    std::vector<core::FieldError> faults;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        auto const before = std::span(wanted).first(i);
        auto const found = std::ranges::find(attached, wanted[i], &Attachment::id);
        auto const fault = [&](std::string code, std::string detail) {
            faults.push_back({"/attachmentIds/" + std::to_string(i), std::move(code), std::move(detail)});
        };
        if (!wanted[i]) {
            fault("format", "must be an attachmentId (a UUID)");
        } else if (std::ranges::find(before, wanted[i]) != before.end()) {
            fault("duplicate", "is repeated in the list");
        } else if (found == attached.end()) {
            fault("not_attachable",
                "must be the attachmentId of an uploaded file that this caller may attach here");
        } else {
            in_order.push_back(*found);
        }
    }
    if (!faults.empty()) throw core::Error::validation(std::move(faults));
    return in_order;
}

asio::awaitable<http::Response> Attachments::get(http::Request const& request, MayRead may_read)
{
    core::Caller const& caller = request.caller();
    auto const attachment = co_await find(request.scope().id, request.uuid_param("attachmentId"));
    if (!attachment) throw no_such_attachment();
    if (!caller.is_staff()) {
        bool allowed = !attachment->internal && attachment->owner == core::UserId(caller.id);
        if (!allowed && !attachment->internal && attachment->state == State::attached) {
            allowed = co_await may_read(*attachment);
        }
        if (!allowed) throw no_such_attachment();
    }
    if (attachment->state == State::presigned)
        co_return http::Response::ok(to_json(*attachment, std::nullopt, {}));
    Download const download{attachment->key(), attachment->size_bytes, attachment->content_type,
        attachment->filename, now() + options_.download_lifetime};
    std::string const url = store_.download_url(download, options_.origin(request));
    co_return http::Response::ok(to_json(*attachment, download, url));
}

void Attachments::expire(core::ScopeId scope_id, core::Uuid const& id)
{
    auto const left = database_.transact_blocking(scope_id, [&](pg::Tx& tx) {
        attachment_rows::remove_unattached(tx, scope_id, id);
        return attachment_rows::find(tx, scope_id, id);
    });
    store_.erase_except(left ? left->key() : Key{scope_id, id, {}});
}

core::Time Attachments::first_settling(core::Time presigned) const
{
    // If uploads pass through the service, the service has recorded them already, so `settle` only removes
    // attachments without an upload.
    if (store_.direct_uploads() == nullptr) return presigned + options_.keep_declared;
    return presigned + options_.upload_lifetime + settle_margin;
}

std::optional<core::Time> Attachments::settle(core::ScopeId scope_id, core::Uuid const& id)
{
    auto const attachment = core::wait(find(scope_id, id));
    if (!attachment) {
        // The row was deleted while its upload URL was valid, so bytes may have arrived afterwards.
        store_.erase_except(Key{scope_id, id, {}});
        return std::nullopt;
    }
    if (attachment->state != State::presigned) return std::nullopt;
    core::Time const end = attachment->created_at + options_.keep_declared;
    if (now() < end) return end;
    bool const removed = database_.transact_blocking(
        scope_id, [&](pg::Tx& tx) { return attachment_rows::remove_presigned(tx, scope_id, id); });
    if (removed) store_.erase_except(Key{scope_id, id, {}});
    return std::nullopt;
}

void Attachments::erase_scope(core::Scope const& scope)
{
    store_.erase_scope(scope.id);
}

jobs::Handler settle_handler(Attachments& attachments)
{
    return [&attachments](jobs::Claim const& claim, std::stop_token const&) {
        auto const again = attachments.settle(claim.scope_id, claim.ref);
        return again ? jobs::Outcome::not_yet(*again) : jobs::Outcome::done();
    };
}

jobs::Handler expire_handler(Attachments& attachments)
{
    return [&attachments](jobs::Claim const& claim, std::stop_token const&) {
        attachments.expire(claim.scope_id, claim.ref);
        return jobs::Outcome::done();
    };
}

} // namespace blobs
