#include "api/send_request.hpp"

#include "api/templates.hpp"
#include "blobs/filename.hpp"
#include "core/fields.hpp"
#include "crypto/encoding.hpp"
#include "domain/push_payload.hpp"
#include "mail/media_type.hpp"

#include <set>

namespace notify {

namespace {

namespace json = boost::json;

constexpr std::size_t max_base64 = (max_attachment_bytes + 2) / 3 * 4;

/// The channel, on which the rules of other fields depend; nullopt if the field is missing or invalid.
using Known = std::optional<Channel>;

Known parse_channel(core::Fields& f)
{
    Known const channel = f.optional_one_of<Channel>("channel");
    if (!channel) f.fault("channel", "required", "is required"); // an earlier error of the field is kept
    return channel;
}

void fault_size(core::Fields& f)
{
    f.fault("data", "too_long", "must be at most " + std::to_string(max_push_bytes) + " bytes in total");
}

std::vector<std::pair<std::string, std::string>> parse_data(core::Fields& f, Known channel)
{
    std::vector<std::pair<std::string, std::string>> data;
    auto const* object = f.optional_object("data");
    if (object == nullptr) return data;
    if (channel && channel != Channel::push)
        f.fault("data", "not_allowed", "is allowed only for the push channel");
    // With more members than `max_push_bytes`, the names alone exceed the limit, so the values are not read.
    if (object->get_object().size() > max_push_bytes) {
        fault_size(f);
        return data;
    }
    core::Fields nested(*object, "/data");
    std::size_t size = 0;
    for (auto const& member : object->get_object()) {
        if (is_reserved_data_key(member.key()))
            nested.fault(member.key(), "not_allowed",
                "is reserved by the push carriers or this service; use another name");
        auto const& [name, value] =
            data.emplace_back(member.key(), nested.entry(member.key(), 0, max_push_bytes));
        size += name.size() + value.size();
    }
    f.absorb(nested);
    if (size > max_push_bytes) fault_size(f);
    return data;
}

PushSettings parse_push(core::Fields& f, Known channel)
{
    auto settings = parse_push_settings(f);
    if (settings && channel && channel != Channel::push)
        f.fault("push", "not_allowed", "is allowed only for the push channel");
    return std::move(settings).value_or(PushSettings());
}

std::string parse_content(core::Fields& f)
{
    auto content = crypto::base64::decode(f.text("content", 1, max_base64));
    if (!content) f.fault("content", "format", "must be base64 (RFC 4648, section 4)");
    return std::move(content).value_or(std::string());
}

RequestedAttachment parse_file(core::Fields& f)
{
    RequestedAttachment file;
    file.filename = f.text("filename", 1, 255);
    if (!blobs::is_filename(file.filename))
        f.fault("filename", "format", "must not have path separators, control characters or direction marks");
    file.content_type = f.text("contentType", 1, 255);
    if (!mail::is_bare_media_type(file.content_type))
        f.fault("contentType", "format", "must be a media type, such as application/pdf");
    file.content = parse_content(f);
    return file;
}

RequestedAttachment parse_upload(core::Fields& f)
{
    RequestedAttachment file;
    file.upload = core::Uuid::parse(f.text("attachmentId", 1, 100));
    if (!file.upload) f.fault("attachmentId", "format", "must be the `attachmentId` of an upload, a UUID");
    if (f.has("content")) f.fault("content", "not_allowed", "must be absent if `attachmentId` is present");
    return file;
}

std::vector<RequestedAttachment> parse_attachments(core::Fields& f, Known channel)
{
    std::vector<RequestedAttachment> requested;
    auto const* items = f.optional_array("attachments", max_attachments);
    if (items == nullptr || items->empty()) return requested;
    if (channel && channel != Channel::email)
        f.fault("attachments", "not_allowed", "is allowed only for the email channel");
    for (auto const& item : *items) {
        core::Fields nested(item, "/attachments/" + std::to_string(requested.size()));
        requested.push_back(nested.has("attachmentId") ? parse_upload(nested) : parse_file(nested));
        f.absorb(nested);
    }
    return requested;
}

std::string parse_recipient(core::Fields& f, Known channel)
{
    std::string to = f.text("to", 1, 254);
    if (!channel) return to;
    auto recipient = recipient_of(*channel, to);
    if (!recipient) f.fault("to", "format", std::string(recipient_rule(*channel)));
    return std::move(recipient).value_or(std::move(to));
}

/// The time in `sendAt`; nullopt (send at once) if the field is absent or the time is in the past.
std::optional<core::Time> parse_send_at(core::Fields& f, core::Time now)
{
    auto const at = f.optional_time("sendAt");
    if (at && *at > now + max_delay)
        f.fault("sendAt", "range",
            "must be at most " + std::to_string(max_delay.count()) + " days in the future");
    return at && *at > now ? at : std::nullopt;
}

core::FieldError not_attachable(std::size_t index)
{
    return {"/attachments/" + std::to_string(index) + "/attachmentId", "not_attachable",
        "must be the id of a completed upload of this environment, and must be listed only once"};
}

notification_attachments::Row row_of(RequestedAttachment&& file)
{
    notification_attachments::Row row;
    row.filename = std::move(file.filename);
    row.content_type = std::move(file.content_type);
    row.size_bytes = static_cast<std::int64_t>(file.content.size());
    row.content = std::move(file.content);
    return row;
}

notification_attachments::Row row_of(blobs::Attachment const& upload)
{
    notification_attachments::Row row;
    row.filename = upload.filename;
    row.content_type = upload.content_type;
    row.size_bytes = upload.size_bytes;
    row.upload = upload.key();
    return row;
}

bool fit_together(std::vector<notification_attachments::Row> const& files)
{
    std::int64_t size = 0;
    for (auto const& file : files)
        size += file.size_bytes;
    return size <= max_attachment_bytes;
}

} // namespace

SendRequest parse_send(http::Request const& req, core::Time now)
{
    core::Fields f(req.json());
    SendRequest wanted;
    wanted.template_name = f.text("templateName", 1, max_template_name);
    wanted.variables = parse_variables(f);
    wanted.send_at = parse_send_at(f, now);
    Known const channel = parse_channel(f);
    wanted.channel = channel.value_or(Channel{});
    wanted.to = parse_recipient(f, channel);
    wanted.data = parse_data(f, channel);
    wanted.push = parse_push(f, channel);
    wanted.attachments = parse_attachments(f, channel);
    f.check();
    return wanted;
}

asio::awaitable<std::vector<notification_attachments::Row>> find_files(
    http::Request const& req, blobs::Attachments& uploads, std::vector<RequestedAttachment> requested)
{
    std::vector<notification_attachments::Row> files;
    std::vector<core::FieldError> faults;
    std::set<core::Uuid> seen;
    for (std::size_t i = 0; i < requested.size(); ++i) {
        if (!requested[i].upload) {
            files.push_back(row_of(std::move(requested[i])));
            continue;
        }
        auto const upload = co_await uploads.find(req.scope().id, *requested[i].upload);
        bool const whole = upload && upload->state != blobs::State::presigned;
        if (whole && seen.insert(upload->id).second)
            files.push_back(row_of(*upload));
        else
            faults.push_back(not_attachable(i));
    }
    if (!fit_together(files))
        faults.push_back({"/attachments", "too_large",
            "must be at most " + std::to_string(max_attachment_bytes) + " bytes in total"});
    if (!faults.empty()) throw core::Error::validation(std::move(faults));
    co_return files;
}

void claim_uploads(pg::Tx& tx, http::Request const& req, blobs::Attachments& uploads,
    std::span<notification_attachments::Row const> files, core::Uuid notification_id)
{
    std::vector<std::string> ids;
    for (auto const& file : files) {
        if (file.upload) ids.push_back(file.upload->attachment_id.to_string());
    }
    try {
        uploads.attach(tx, req.scope(), ids, req.caller(), {.type = "notification", .id = notification_id});
    } catch (core::Error const& error) {
        if (error.faults().empty()) throw;
        throw core::Error::validation({{"/attachments", "not_attachable",
            "contains an upload that no longer exists; upload the file again"}});
    }
}

} // namespace notify
