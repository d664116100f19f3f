#include "hosted_pages/logo_handlers.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/hex.hpp"
#include "core/text.hpp"
#include "core/thread_pool.hpp"
#include "crypto/hash.hpp"
#include "hosted_pages/image.hpp"
#include "hosted_pages/logos.hpp"
#include "http/etag.hpp"
#include "pg/database.hpp"
#include "tenancy/settings.hpp"

#include <boost/json/serialize.hpp>

namespace hosted_pages {

namespace {

namespace settings = tenancy::settings;
namespace json = boost::json;

constexpr std::size_t tag_digits = 32; ///< of the hash

/// The type of the body. Throws UNSUPPORTED_MEDIA_TYPE if it is not accepted.
ImageType type_of(http::Request const& req)
{
    std::string_view const given = req.header("Content-Type").value_or("");
    std::string_view type = given.substr(0, given.find(';'));
    type = type.substr(0, type.find_last_not_of(" \t") + 1);
    for (auto const accepted : {ImageType::png, ImageType::webp})
        if (core::equal_ignoring_case(type, core::to_string(accepted))) return accepted;
    throw core::Error(core::codes::unsupported_media_type,
        "The body must be an image. Send it with Content-Type: image/png or image/webp.");
}

/// Checks the body. Throws VALIDATION_ERROR if it is not an image of this type.
asio::awaitable<ImageSize> check_body(http::Request const& req, LogoApi const& api, ImageType type)
{
    auto const checked = co_await api.checks.run([&req, type] { return check_image(req.body, type); });
    if (auto const* const fault = std::get_if<ImageFault>(&checked))
        throw core::Error::validation({{"", std::string(fault->code), std::string(fault->detail)}});
    co_return std::get<ImageSize>(checked);
}

/// The member `logo` of the settings document; null if there is no logo.
json::value logo_in(settings::Settings const& current)
{
    auto const* const logo = current.document.if_contains("logo");
    return logo == nullptr ? json::value() : *logo;
}

/// Locks the settings and returns them. Throws PRECONDITION_FAILED if If-Match names another version.
settings::Settings lock_settings(pg::Tx& tx, http::Request const& req, LogoApi const& api)
{
    if (api.authorize) api.authorize(tx, req);
    auto current = settings::read_for_update(tx, req.scope());
    http::check_if_match(req, current.version);
    return current;
}

/// Replaces the member `logo` of the document, so that every replica learns of it, and records the change.
void replace(pg::Tx& tx, http::Request const& req, LogoApi const& api, settings::Settings const& current,
    json::value const& logo)
{
    auto document = current.document;
    document["logo"] = logo;
    settings::write(tx, req.scope(), document, current.version, api.clock.now());
    auto const shown = [](json::value value) {
        return value.is_null() ? std::nullopt : std::optional(std::move(value));
    };
    audit::record(tx, req.context,
        {.action = logo.is_null() ? "logo.deleted" : "logo.updated",
            .subject_type = "logo",
            .subject_id = {},
            .before = shown(logo_in(current)),
            .after = shown(logo)});
}

json::object to_json(logos::Image const& image, ImageSize const& size, core::Time now)
{
    return {{"contentType", core::to_string(image.type)}, {"width", size.width}, {"height", size.height},
        {"sizeBytes", image.content.size()}, {"sha256", image.sha256}, {"updatedAt", core::to_rfc3339(now)}};
}

} // namespace

asio::awaitable<http::Response> put_logo(http::Request const& req, LogoApi const& api)
{
    ImageType const type = type_of(req);
    ImageSize const size = co_await check_body(req, api, type);
    auto const digest = crypto::sha256(req.body);
    logos::Image const image{type, core::hex::encode(crypto::view(digest)), req.body};
    co_return co_await api.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto const current = lock_settings(tx, req, api);
        auto logo = logo_in(current);
        bool const is_same = logo.is_object() && logo.at("sha256") == json::value(image.sha256);
        if (!is_same) {
            logo = to_json(image, size, api.clock.now());
            logos::put(tx, req.scope(), image);
            replace(tx, req, api, current, logo);
        }
        return http::Response::ok(json::serialize(logo));
    });
}

asio::awaitable<http::Response> delete_logo(http::Request const& req, LogoApi const& api)
{
    co_return co_await api.db.transact(req.scope(), [&](pg::Tx& tx) {
        auto const current = lock_settings(tx, req, api);
        if (logos::remove(tx, req.scope())) replace(tx, req, api, current, nullptr);
        return http::Response::deleted();
    });
}

asio::awaitable<http::Response> get_logo(http::Request const& req, pg::Database& db)
{
    // The server adds `nosniff` to every response, so the browser uses the declared type.
    auto const read = [&](pg::Tx& tx) {
        auto const found = logos::find(tx, req.scope());
        if (!found) throw core::Error(core::codes::not_found, "This environment has no logo.");
        auto const tag = http::etag(std::string_view(found->sha256).substr(0, tag_digits));
        auto response = http::Response{.content_type = core::to_string(found->type)}
                            .header("ETag", tag)
                            .header("Cache-Control", "public, max-age=300")
                            .header("Content-Security-Policy", "default-src 'none'; sandbox");
        if (http::is_not_modified(req, tag))
            response.status = 304;
        else
            response.body = logos::content(tx, req.scope());
        return response;
    };
    co_return co_await db.read(req.scope(), read);
}

} // namespace hosted_pages
