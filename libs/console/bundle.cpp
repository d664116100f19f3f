#include "console/bundle.hpp"

#include "core/hex.hpp"
#include "crypto/hash.hpp"
#include "http/etag.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace console {

namespace {

constexpr std::string_view index_name = "index.html", assets = "assets/";

constexpr auto types = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"css", "text/css; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/vnd.microsoft.icon"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"map", "application/json"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"png", "image/png"},
    {"svg", "image/svg+xml"},
    {"txt", "text/plain; charset=utf-8"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff2", "font/woff2"},
});

/// The content type of a file by its extension; empty if it is not known.
std::string_view type_of(std::string_view path) noexcept
{
    auto const dot = path.rfind('.');
    if (dot == std::string_view::npos) return {};
    auto const* const found =
        std::ranges::find(types, path.substr(dot + 1), &std::pair<std::string_view, std::string_view>::first);
    return found == types.end() ? std::string_view() : found->second;
}

} // namespace

Bundle::Plain::Plain(std::string_view bytes, std::string_view content_type, docs::Caching caching)
    : bytes_(bytes), content_type_(content_type), caching_(caching)
{
    auto const digest = crypto::sha256(bytes);
    tag_ = http::etag(core::hex::encode(crypto::view(digest).substr(0, 16)));
}

http::Response Bundle::Plain::answer(http::Request const& request) const
{
    auto response = http::Response{.content_type = content_type_}
                        .header("ETag", tag_)
                        .header("Cache-Control", docs::cache_control(caching_));
    if (http::is_not_modified(request, tag_))
        response.status = 304;
    else
        response.fixed_body = bytes_;
    return response;
}

Bundle::Bundle(std::span<File const> files)
{
    for (auto const& file : files) {
        auto const type = type_of(file.path);
        if (type.empty())
            throw std::invalid_argument("the type of this file is not known: " + std::string(file.path));
        auto const caching =
            file.path.starts_with(assets) ? docs::Caching::immutable : docs::Caching::revalidate;
        if (file.path == index_name && file.compressed)
            index_.emplace(file.bytes, type, caching);
        else if (file.compressed)
            files_.emplace(file.path, docs::Asset(file.bytes, type, caching));
        else
            files_.emplace(file.path, Plain(file.bytes, type, caching));
    }
    if (!index_ && !files_.empty()) throw std::invalid_argument("the bundle has no compressed index.html");
}

http::Response Bundle::index(http::Request const& request) const
{
    return index_.value().answer(request);
}

std::optional<http::Response> Bundle::file(http::Request const& request, std::string_view path) const
{
    auto const found = files_.find(path);
    if (found == files_.end()) return std::nullopt;
    return std::visit([&](auto const& asset) { return asset.answer(request); }, found->second);
}

Bundle const& built_bundle()
{
    static Bundle const bundle(built_files());
    return bundle;
}

bool is_file_name(std::string_view path) noexcept
{
    return !type_of(path).empty();
}

} // namespace console
