#pragma once

#include "docs/asset.hpp"
#include "http/message.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace console {

/// An embedded file. All members have static storage duration.
struct File {
    std::string_view path; ///< in the bundle, with slashes, without `.gz`
    std::string_view bytes;
    bool compressed = false; ///< whether `bytes` are compressed with gzip
};

/// The files of libs/console/dist. Empty if the console was not built.
std::span<File const> built_files();

/// The files of the single-page application. Thread-safe.
class Bundle {
public:
    /// Throws std::invalid_argument if a file's type is not known by its name, or if there are files, but no
    /// compressed `index.html`.
    explicit Bundle(std::span<File const> files);

    /// Whether there is no application.
    bool empty() const noexcept { return !index_; }

    /// `index.html`, with the headers of docs::Asset::answer. Precondition: !empty().
    http::Response index(http::Request const& request) const;

    /// The response with the other file of the bundle that has this path; nullopt if there is no such file.
    /// The name of a file below `assets/` must change with its content, because caches keep these files for a
    /// year. Caches must revalidate all others. An ETag in If-None-Match is answered with 304.
    std::optional<http::Response> file(http::Request const& request, std::string_view path) const;

private:
    /// A file that is not compressed, such as an image.
    class Plain {
    public:
        Plain(std::string_view bytes, std::string_view content_type, docs::Caching caching);
        http::Response answer(http::Request const& request) const;

    private:
        std::string_view bytes_;
        std::string_view content_type_;
        docs::Caching caching_;
        std::string tag_;
    };

    std::optional<docs::Asset> index_;
    std::map<std::string_view, std::variant<docs::Asset, Plain>, std::less<>> files_; ///< by path
};

/// The bundle of the files of libs/console/dist.
Bundle const& built_bundle();

/// Whether the last segment of a path names a file of a web page by its extension, such as `.js`. Other
/// segments are part of the addresses of pages: `ada@example.com`.
bool is_file_name(std::string_view path) noexcept;

} // namespace console
